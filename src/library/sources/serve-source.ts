import type { Env } from "../../platform/env.ts";
import { answerFile } from "../../platform/http/answer-file.ts";
import { imposedSourceKey, montageFileKey, renditionKey, trackSourceKey } from "../../platform/storage/keys.ts";
import { openStoredFile, openStoredSource } from "./stored-source.ts";

/**
 * Answers a GET or HEAD for the stored source of an asset.
 *
 * @param headers of the answer
 * @returns null when the source is not in R2, or not yet
 * @throws {Problem} range_not_satisfiable
 */
export async function serveSource(
  env: Pick<Env, "MEDIA">,
  assetId: string,
  request: Request,
  headers: Record<string, string>,
): Promise<Response | null> {
  const source = await openStoredSource(env, assetId);
  return source && (await answerFile(request, source, headers));
}

/** The same for a further file of a montage. */
export async function serveMontageFile(
  env: Pick<Env, "MEDIA">,
  { assetId, file }: { assetId: string; file: number },
  request: Request,
  headers: Record<string, string>,
): Promise<Response | null> {
  const source = await openStoredFile(env, montageFileKey(assetId, file));
  return source && (await answerFile(request, source, headers));
}

/** The same for a file of an added audio track. @param imposed position of a sound that is mixed into it; null = its own */
export async function serveTrackSource(
  env: Pick<Env, "MEDIA">,
  { assetId, trackId, imposed }: { assetId: string; trackId: string; imposed: number | null },
  request: Request,
  headers: Record<string, string>,
): Promise<Response | null> {
  const key = imposed === null ? trackSourceKey(assetId, trackId) : imposedSourceKey(assetId, trackId, imposed);
  const source = await openStoredFile(env, key);
  return source && (await answerFile(request, source, headers));
}

/** The same for one stored segment, behind its init segment. */
export async function serveSegment(
  { MEDIA }: Pick<Env, "MEDIA">,
  { assetId, rendition, initFile, segment }: { assetId: string; rendition: string; initFile: string; segment: number },
  request: Request,
  headers: Record<string, string>,
): Promise<Response | null> {
  const objects = await Promise.all(
    [`${initFile}.mp4`, `${segment}.m4s`].map((file) => MEDIA.get(renditionKey(assetId, rendition, file))),
  );
  const [init, media] = await Promise.all(objects.map(async (object) => object && (await object.arrayBuffer())));
  if (!init || !media) return null;
  const file = new Blob([init, media]);
  const open = async (offset: number, length: number) => file.slice(offset, offset + length).stream();
  return await answerFile(request, { size: file.size, etag: `"${rendition}-${segment}"`, open }, headers);
}

import { type Layout, layoutOf } from "../media/download/layout.ts";
import { mergeInits } from "../media/download/merge-inits.ts";
import type { DownloadTracks } from "../media/download/tracks.ts";
import { presentationOf, secondsOf } from "../media/manifest/model.ts";
import { readSelection, select } from "../media/manifest/selection.ts";
import type { Env } from "../platform/env.ts";
import { answerFile } from "../platform/http/answer-file.ts";
import { Problem } from "../platform/http/problems.ts";
import { TtlCache } from "../platform/ttl-cache.ts";
import { attachment, downloadName } from "./attachment.ts";
import { CORS } from "./headers.ts";
import { fetchSegment, type RequestContext } from "./origin.ts";
import type { SegmentFile } from "./paths.ts";
import { selectionOf } from "./resolution-cap.ts";
import { type Playable, resolvePlaybackId } from "./resolve.ts";
import { unknownDownload } from "./unknown-playback.ts";
import type { Viewer } from "./viewer.ts";
import { type DownloadFile, planDownload } from "./download-plan.ts";
import { streamDownload } from "./download-stream.ts";

const WORD = { "capped-4k": "capped_4k", audio: "audioOnly" } as const;
const TYPES = { "capped-4k": "video/mp4", audio: "audio/mp4" } as const;
const EXTENSIONS = { "capped-4k": ".mp4", audio: ".m4a" } as const;

const KEPT_MS = 30_000;
/** A ready asset's layouts do not change. */
const layouts = new TtlCache<Layout>(16);

/**
 * A file for download, assembled from the segments of a ready asset while it is sent. Nothing is stored for it.
 * The query selects the rung as that of a manifest does, and names the file.
 *
 * @throws {Problem} playback_not_found, validation_failed, range_not_satisfiable, and those of `Viewer.admit`
 */
export async function answerDownload(
  viewer: Viewer,
  env: Env,
  ctx: RequestContext,
  { playbackId, file }: { playbackId: string; file: DownloadFile },
): Promise<Response> {
  const resolved = await resolvePlaybackId(env.DB, ctx, playbackId);
  if (resolved === null) throw unknownDownload();
  const { rules } = await viewer.admit(resolved.rules);
  if (resolved.kind !== "asset" || rules.accessPolicy === "drm") throw unknownDownload();
  const { playable } = resolved;
  const isAskedFor = playable.mp4Support?.split(",").includes(WORD[file]) === true;
  const presentation = isAskedFor && playable.status === "ready" ? presentationOf(playable) : null;
  if (presentation === null) throw unknownDownload();
  const { videoSets, audio } = select(presentation, selectionOf(new URLSearchParams(), rules));
  const query = viewer.url.searchParams;
  const tracks = planDownload(file, { video: videoSets.flat(), audio }, readSelection(query));
  const name = downloadName(query, file, EXTENSIONS[file]);
  const layout = tracks && (await layoutFor(env, ctx, playable, tracks));
  if (tracks === null || layout === null) throw unknownDownload();

  const etag = `"${tracks.renditions.map(({ name }) => name).join("-")}-${layout.size}"`;
  const source = { env, ctx, assetId: playable.assetId, tracks, layout };
  const open = async (offset: number, length: number) =>
    streamDownload(source, viewer.request, offset, offset + length);
  const disposition = name === null ? {} : { "content-disposition": attachment(name) };
  const headers = { ...CORS, ...disposition, "content-type": TYPES[file], "cache-control": "no-cache" };
  const answer = await answerFile(viewer.request, { size: layout.size, etag, open }, headers);
  if (answer === null) throw unknownDownload();
  return answer;
}

/** @returns null for more segments than a file can have */
async function layoutFor(
  env: Env,
  ctx: RequestContext,
  { assetId }: Playable,
  { renditions, initFiles }: DownloadTracks,
): Promise<Layout | null> {
  const key = [assetId, ...renditions.map(({ name }) => name)].join(" ");
  const known = layouts.get(key, Date.now());
  if (known !== undefined) return known;
  const inits = renditions.map(async ({ name: rendition }, position) => {
    const file = initFiles[position] as SegmentFile;
    const address = { assetId, rendition, file, keyId: null };
    const answer = await fetchSegment(new Request("https://playback-origin/"), ctx, env, address);
    if (!answer.ok) throw new Problem("unavailable", "an init segment cannot be read at the moment");
    return new Uint8Array(await answer.arrayBuffer());
  });
  const init = mergeInits(await Promise.all(inits), Math.max(...renditions.map(secondsOf)));
  const layout = layoutOf(init, renditions);
  if (layout !== null) layouts.set(key, layout, Date.now() + KEPT_MS);
  return layout;
}

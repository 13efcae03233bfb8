import { and, eq } from "drizzle-orm";
import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { answerFile } from "../../platform/http/answer-file.ts";
import { renditionKey } from "../../platform/storage/keys.ts";
import { TtlCache } from "../../platform/ttl-cache.ts";
import { renditions } from "../assets/tables.ts";
import { openStoredFile } from "./stored-source.ts";

/** Where each object of a rendition begins in the file that they make: the init segment, then the media segments. */
interface SoundLayout {
  /** Ascending; the last one is the length of the file. */
  starts: number[];
}

/** An encoder asks for a block after another. */
const layouts = new TtlCache<SoundLayout>(16);
const LAYOUT_MS = 60_000;

/**
 * Answers a GET or HEAD for the sound of a media as one fragmented file: its init segment and all media segments. A range reads the segments in it alone.
 *
 * @param headers of the answer
 * @returns null when the media has no such rendition
 * @throws {Problem} range_not_satisfiable
 */
export async function serveSound(
  env: Pick<Env, "DB" | "MEDIA">,
  { assetId, rendition }: { assetId: string; rendition: string },
  request: Request,
  headers: Record<string, string>,
): Promise<Response | null> {
  const layout = await layoutOf(env.DB, assetId, rendition);
  if (layout === null) return null;
  const { starts } = layout;
  const keyOf = (object: number) => renditionKey(assetId, rendition, object === 0 ? "init.mp4" : `${object - 1}.m4s`);
  const open = async (offset: number, length: number) => {
    const { readable, writable } = new FixedLengthStream(length);
    const send = async () => {
      for (const { object, from, to } of partsOf(starts, offset, offset + length)) {
        const part = await env.MEDIA.get(keyOf(object), { range: { offset: from, length: to - from } });
        if (part === null) throw new Error(`the segment ${object - 1} of ${rendition} is gone`);
        await part.body.pipeTo(writable, { preventClose: true });
      }
      await writable.close();
    };
    send().catch((error: unknown) => writable.abort(error).catch(() => undefined));
    return readable;
  };
  return await answerFile(request, { size: starts.at(-1)!, etag: `"${rendition}-${starts.length}"`, open }, headers);
}

/** The same for one piece of speech. */
export async function servePiece(
  env: Pick<Env, "MEDIA">,
  { assetId, rendition, number }: { assetId: string; rendition: string; number: number },
  request: Request,
  headers: Record<string, string>,
): Promise<Response | null> {
  const file = await openStoredFile(env, renditionKey(assetId, rendition, `${number}.flac`));
  return file && (await answerFile(request, file, headers));
}

async function layoutOf(binding: D1Database, assetId: string, rendition: string): Promise<SoundLayout | null> {
  const key = `${assetId}/${rendition}`;
  const known = layouts.get(key, Date.now());
  if (known !== undefined) return known;
  const [row] = await openDatabase(binding)
    .select({ initBytes: renditions.initBytes, segments: renditions.segments })
    .from(renditions)
    .where(and(eq(renditions.assetId, assetId), eq(renditions.name, rendition)));
  if (row === undefined) return null;
  const starts = [0, row.initBytes];
  for (const bytes of row.segments.bytes) starts.push(starts.at(-1)! + bytes);
  layouts.set(key, { starts }, Date.now() + LAYOUT_MS);
  return { starts };
}

/** The parts of objects that a range of the file has. */
function partsOf(starts: readonly number[], from: number, to: number): { object: number; from: number; to: number }[] {
  const parts: { object: number; from: number; to: number }[] = [];
  for (let object = objectAt(starts, from); object < starts.length - 1 && starts[object]! < to; object += 1) {
    const [start, end] = [starts[object]!, starts[object + 1]!];
    if (end > start) parts.push({ object, from: Math.max(from, start) - start, to: Math.min(to, end) - start });
  }
  return parts;
}

/** The last object that begins at or before a byte. */
function objectAt(starts: readonly number[], byte: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (starts[middle]! <= byte) low = middle;
    else high = middle - 1;
  }
  return low;
}

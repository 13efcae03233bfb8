import { and, eq } from "drizzle-orm";
import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { answerFile } from "../../platform/http/answer-file.ts";
import { renditionKey } from "../../platform/storage/keys.ts";
import { TtlCache } from "../../platform/ttl-cache.ts";
import type { StoredSegment } from "../../media/clips/shared-rendition.ts";
import { continuousTimes } from "../../media/download/tracks.ts";
import { spansOf } from "../../media/manifest/spans.ts";
import { retargetSegment } from "../../media/download/retarget-segment.ts";
import { renditions } from "../assets/tables.ts";
import { findStored } from "../clips/index.ts";
import { cutSegment } from "../../media/mp4/cut-segment.ts";
import { findSourceUrl } from "../assets/repository.ts";
import { assetSource, openStoredIndex } from "../sources/stored-passthrough.ts";
import { openStoredFile } from "../sources/stored-source.ts";

/** The file that a rendition's init segment and media segments make. */
interface SoundLayout {
  /** Parts of a clip, or of a broadcast, may have others. They describe the same codec, so one is enough for a decoder. */
  initFile: StoredSegment["file"];
  /** Where each object begins in the file, the init segment first; ascending. The last one is the length of the file. */
  starts: number[];
  /** Added to the decode times of a segment, so that the file has the times of the media. */
  shiftTicks: (segment: number) => number;
}

/** An encoder asks for a block after another. */
const layouts = new TtlCache<SoundLayout>(16);
const LAYOUT_MS = 60_000;

interface Sound {
  assetId: string;
  rendition: string;
}

/**
 * Answers a GET or HEAD for a sound or a picture of a media as one fragmented file: its init segment and all media segments, with continuous times. A range reads the
 * segments in it alone.
 *
 * @param headers of the answer
 * @returns null when the media has no such rendition, or it is empty
 * @throws {Problem} range_not_satisfiable
 */
export async function serveRendition(
  env: Env,
  sound: Sound,
  request: Request,
  headers: Record<string, string>,
): Promise<Response | null> {
  const layout = await layoutOf(env, sound);
  if (layout === null) return null;
  const { starts } = layout;
  const open = async (offset: number, length: number) => {
    const { readable, writable } = new FixedLengthStream(length);
    const send = async () => {
      for (const part of partsOf(starts, offset, offset + length)) await sendPart(env, sound, layout, part, writable);
      await writable.close();
    };
    send().catch((error: unknown) => writable.abort(error).catch(() => undefined));
    return readable;
  };
  const etag = `"${sound.rendition}-${starts.length}"`;
  return await answerFile(request, { size: starts.at(-1)!, etag, open }, headers);
}

async function sendPart(
  env: Env,
  sound: Sound,
  { initFile, shiftTicks }: SoundLayout,
  { object, from, to }: Part,
  writable: WritableStream<Uint8Array>,
): Promise<void> {
  const shift = object === 0 ? 0 : shiftTicks(object - 1);
  const file = object === 0 ? initFile : object - 1;
  const stored = await openObject(env, sound, file, shift === 0 ? { offset: from, length: to - from } : undefined);
  if (stored === null) throw new Error(`${file} of ${sound.rendition} is gone`);
  if (shift === 0) return await stored.body.pipeTo(writable, { preventClose: true });
  const segment = new Uint8Array(await new Response(stored.body).arrayBuffer());
  retargetSegment(segment, { trackId: null, shiftTicks: shift });
  const writer = writable.getWriter();
  await writer.write(segment.subarray(from, to));
  writer.releaseLock();
}

/** What a range of an object is read from. */
interface OpenObject {
  /** Size of the whole object. */
  size: number;
  body: ReadableStream<Uint8Array>;
}

/** A clip has most of its files with the media that it was cut from. */
async function openObject(
  env: Env,
  sound: Sound,
  file: StoredSegment["file"],
  range?: { offset: number; length: number },
): Promise<OpenObject | null> {
  const found = await findStored(env, { ...sound, file });
  if (found === null) return null;
  const { assetId, rendition } = found;
  if (rendition.startsWith("source-")) return await cutObject(env, found, range);
  const name = typeof found.file === "number" ? `${found.file}.m4s` : `${found.file}.mp4`;
  return await env.MEDIA.get(renditionKey(assetId, rendition, name), range === undefined ? {} : { range });
}

/** The same of a file that is cut out of the stored source. */
async function cutObject(
  env: Env,
  { assetId, rendition, file }: StoredSegment,
  range?: { offset: number; length: number },
): Promise<OpenObject | null> {
  const index = await openStoredIndex(env.MEDIA, assetId, rendition);
  if (index === null || (file !== "init" && typeof file !== "number")) return null;
  const source = assetSource(env, assetId, () => findSourceUrl(env.DB, assetId));
  const wanted = (bytes: number): [number, number] =>
    range === undefined ? [0, bytes] : [range.offset, range.offset + range.length];
  const cut = await cutSegment(index.reader, source, file, wanted, index.open);
  if (cut?.body == null) return null;
  const body = cut.body instanceof Uint8Array ? new Blob([new Uint8Array(cut.body)]).stream() : cut.body;
  return { size: cut.bytes, body };
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

async function layoutOf(env: Env, sound: Sound): Promise<SoundLayout | null> {
  const key = `${sound.assetId}/${sound.rendition}`;
  const known = layouts.get(key, Date.now());
  if (known !== undefined) return known;
  const [row] = await openDatabase(env.DB)
    .select()
    .from(renditions)
    .where(and(eq(renditions.assetId, sound.assetId), eq(renditions.name, sound.rendition)));
  const span = row && spansOf(row).find(({ isGap, count }) => !isGap && count > 0);
  if (row === undefined || span === undefined) return null;
  const initFile = span.initFile.replace(/\.mp4$/, "") as StoredSegment["file"];
  const shiftSeconds = continuousTimes([row]);
  const init = await openObject(env, sound, initFile);
  if (init === null) return null;
  await init.body.cancel();
  const starts = [0, init.size];
  for (const bytes of row.segments.bytes) starts.push(starts.at(-1)! + bytes);
  const shiftTicks = (segment: number) => Math.round(shiftSeconds(segment) * row.timescale);
  const layout = { initFile, starts, shiftTicks };
  layouts.set(key, layout, Date.now() + LAYOUT_MS);
  return layout;
}

/** A part of an object; `to` is exclusive. */
interface Part {
  object: number;
  from: number;
  to: number;
}

/** The parts of objects that a range of the file has. */
function partsOf(starts: readonly number[], from: number, to: number): Part[] {
  const parts: Part[] = [];
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

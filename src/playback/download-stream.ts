import { type Layout, type Piece, piecesIn, splitRange } from "../media/download/layout.ts";
import type { DownloadTracks } from "../media/download/tracks.ts";
import { retargetSegment } from "../media/download/retarget-segment.ts";
import type { Env } from "../platform/env.ts";
import { errorFields, logError } from "../platform/log.ts";
import { entrypoint } from "../platform/entrypoint.ts";
import { fetchSegment, type RequestContext } from "./origin.ts";

type Target = WritableStream<Uint8Array>;
/** `to` is exclusive. */
interface ByteRange {
  from: number;
  to: number;
}
const CONDITIONS = ["if-none-match", "if-match", "if-range", "if-modified-since", "if-unmodified-since"];

/** What the bytes of a file come from. */
export interface DownloadSource {
  env: Env;
  ctx: RequestContext;
  assetId: string;
  tracks: DownloadTracks;
  layout: Layout;
}

/**
 * The bytes of the file from `from` to `to` (exclusive), segment after segment. A reader that leaves ends it.
 *
 * @param request of the viewer. For a range of too many segments the Worker calls itself with parts of the range
 */
export function streamDownload(
  source: DownloadSource,
  request: Request,
  from: number,
  to: number,
): ReadableStream<Uint8Array> {
  const { readable, writable } = new FixedLengthStream(to - from);
  const ranges = splitRange(source.layout, from, to);
  const send = async () => {
    if (ranges.length === 1) await sendRange(source, { from, to }, writable);
    else for (const [start, end] of ranges) await sendThroughSelf(source, request, { from: start, to: end }, writable);
    await writable.close();
  };
  send().catch((error: unknown) => {
    logError("playback.download_ended_early", { assetId: source.assetId, ...errorFields(error) });
    return writable.abort(error).catch(() => undefined);
  });
  return readable;
}

async function sendRange(source: DownloadSource, { from, to }: ByteRange, writable: Target): Promise<void> {
  const { header } = source.layout;
  if (from < header.length) await write(writable, header.subarray(from, to));
  for (const piece of piecesIn(source.layout, from, to)) await sendPiece(source, piece, { from, to }, writable);
}

/** In an invocation of its own, with subrequests of its own. */
async function sendThroughSelf(
  source: DownloadSource,
  { url, headers: given }: Request,
  { from, to }: ByteRange,
  writable: Target,
): Promise<void> {
  const self = entrypoint(source.ctx.exports, "default");
  if (self === undefined) return await sendRange(source, { from, to }, writable);
  const headers = new Headers(given);
  for (const name of CONDITIONS) headers.delete(name);
  headers.set("range", `bytes=${from}-${to - 1}`);
  const answer = await self.fetch(url, { headers });
  if (answer.status !== 206 || answer.body === null) throw new Error(`a part of a download: ${answer.status}`);
  await answer.body.pipeTo(writable, { preventClose: true });
}

async function sendPiece(
  { env, ctx, assetId, tracks, layout }: DownloadSource,
  { track, segment, offset, bytes }: Piece,
  { from, to }: ByteRange,
  writable: Target,
): Promise<void> {
  const [start, end] = [Math.max(0, from - offset), Math.min(bytes, to - offset)];
  const shiftTicks = Math.round(tracks.shiftSeconds(segment) * layout.timescales[track]!);
  const isAsStored = track === 0 && shiftTicks === 0;
  const range = isAsStored && (start > 0 || end < bytes) ? { range: `bytes=${start}-${end - 1}` } : undefined;
  const request = new Request("https://playback-origin/", { headers: range ?? {} });
  const address = { assetId, rendition: tracks.renditions[track]!.name, file: segment, keyId: null };
  const answer = await fetchSegment(request, ctx, env, address);
  if (!answer.ok || answer.body === null) throw new Error(`segment ${segment} of a download: ${answer.status}`);
  if (isAsStored) return await answer.body.pipeTo(writable, { preventClose: true });
  const whole = new Uint8Array(await answer.arrayBuffer());
  if (whole.length !== bytes) throw new Error(`segment ${segment} has ${whole.length} bytes, and not ${bytes}`);
  retargetSegment(whole, { trackId: track + 1, shiftTicks });
  await write(writable, whole.subarray(start, end));
}

async function write(writable: Target, bytes: Uint8Array): Promise<void> {
  const writer = writable.getWriter();
  await writer.write(bytes);
  writer.releaseLock();
}

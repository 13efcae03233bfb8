/** Decodes the wanted frames of pieces of media. */
import { type CodecContext, type Frame, Packet } from "node-av/lib";
import { AVERROR_EAGAIN } from "node-av/constants";
import type { ImageMedia } from "../../protocol/images.ts";
import { openDecoder, receivedFrames } from "../media/decode.ts";
import { ticksToSeconds } from "../media/source.ts";
import { JobError } from "../platform/errors.ts";
import { hasLengths, isDisposable } from "./disposable.ts";
import { openBytes, type OpenedBytes } from "./media-bytes.ts";

/** A single key frame gains nothing from threads, and a GOP little from more than these. */
const GOP_THREADS = 4;

interface Bytes {
  inits: Buffer[];
  pieces: Buffer[];
}

/** Splits a body as the request describes it. */
function splitBody({ inits, pieces }: ImageMedia, body: Buffer): Bytes {
  let at = 0;
  const next = (bytes: number) => body.subarray(at, (at += bytes));
  return { inits: inits.map(next), pieces: pieces.map(({ bytes }) => next(bytes)) };
}

/**
 * Decodes the wanted frames, piece by piece. A frame wanted twice is given twice.
 *
 * @param use a frame, which stays the caller's; `index` counts the wanted frames of all pieces
 * @throws {JobError} source_damaged when a piece has no such frame
 */
export async function forWantedFrames(
  media: ImageMedia,
  body: Buffer,
  use: (frame: Frame, index: number) => Promise<void>,
): Promise<void> {
  const { inits, pieces } = splitBody(media, body);
  let index = 0;
  for (const [position, { init, ...times }] of media.pieces.entries()) {
    const opened = await openBytes(Buffer.concat([inits[init] ?? Buffer.alloc(0), pieces[position]!]));
    try {
      const frames = await decodeWanted(opened, times);
      for (const frame of frames) await use(frame, index++);
      for (const frame of new Set(frames)) frame.free();
    } finally {
      await opened.close();
    }
  }
}

/** @returns a frame for each time; the same one for times that it is shown at */
async function decodeWanted(
  opened: OpenedBytes,
  { startSeconds, atSeconds }: { startSeconds: number; atSeconds: number[] },
): Promise<Frame[]> {
  const { video } = opened;
  const packets = await readPackets(opened);
  try {
    const shown = packets.map(({ pts }) => pts).toSorted((a, b) => Number(a - b));
    const [first] = shown;
    if (first === undefined) throw new JobError("source_damaged", "The media has no frames.");
    const secondsOf = (pts: bigint) => startSeconds + ticksToSeconds(pts - first, video);
    const wanted = atSeconds.map((at) => shown.findLast((pts) => secondsOf(pts) <= at) ?? first);
    const last = packets.findLastIndex(({ pts }) => wanted.includes(pts));
    using decoder = await openDecoder(video, last === 0 ? 1 : GOP_THREADS);
    const needed = packets
      .slice(0, last + 1)
      .filter((packet) => wanted.includes(packet.pts) || !isSkipped(opened, packet));
    const found = await decodePackets(decoder, needed, new Set(wanted));
    const nearest = (pts: bigint) => found.get(pts) ?? [...found.values()].at(-1);
    const frames = wanted.map((pts) => nearest(pts));
    if (frames.some((frame) => frame === undefined)) throw new JobError("source_damaged", "No frame could be decoded.");
    return frames as Frame[];
  } finally {
    for (const packet of packets) packet.free();
  }
}

/** Whether a packet before the wanted ones can be left out. */
function isSkipped({ video }: OpenedBytes, { data }: Packet): boolean {
  return hasLengths(video) && data !== null && isDisposable(data);
}

export async function readPackets({ format, video }: OpenedBytes): Promise<Packet[]> {
  const packets: Packet[] = [];
  for (;;) {
    const packet = new Packet();
    packet.alloc();
    if ((await format.readFrame(packet)) < 0) {
      packet.free();
      return packets; // the end, or a fragment of which only the start is here
    }
    if (packet.streamIndex === video.index && packet.size > 0) packets.push(packet);
    else packet.free();
  }
}

/** Sends packets up to the last wanted one; a frame refers to none that is decoded later. @returns wanted frames by time */
async function decodePackets(
  decoder: CodecContext,
  packets: Packet[],
  wanted: Set<bigint>,
): Promise<Map<bigint, Frame>> {
  const found = new Map<bigint, Frame>();
  for (const packet of [...packets, null]) {
    for (let sent = false; !sent;) {
      sent = (await decoder.sendPacket(packet)) !== AVERROR_EAGAIN;
      for await (const frame of receivedFrames(decoder)) {
        if (wanted.has(frame.pts) && !found.has(frame.pts)) found.set(frame.pts, frame);
        else frame.free();
      }
    }
  }
  return found;
}

/** Decodes every frame of the pieces, which all have the same init, in presentation order. The receiver owns each frame. */
export async function* allFrames(media: ImageMedia, body: Buffer): AsyncGenerator<{ frame: Frame; seconds: number }> {
  const { inits, pieces } = splitBody(media, body);
  const opened = await openBytes(Buffer.concat([inits[0] ?? Buffer.alloc(0), ...pieces]));
  try {
    const { video } = opened;
    using decoder = await openDecoder(video, GOP_THREADS);
    const [{ startSeconds } = { startSeconds: 0 }] = media.pieces;
    let first: bigint | null = null;
    const packets = await readPackets(opened);
    for (const packet of [...packets, null]) {
      for (let sent = false; !sent;) {
        sent = (await decoder.sendPacket(packet)) !== AVERROR_EAGAIN;
        for await (const frame of receivedFrames(decoder)) {
          first ??= frame.pts;
          yield { frame, seconds: startSeconds + ticksToSeconds(frame.pts - first, video) };
        }
      }
      packet?.free();
    }
  } finally {
    await opened.close();
  }
}

import { CaptionsError, type Cue } from "./cue.ts";
import { vttBlock } from "./write.ts";

/** As long as a segment of the ladder, so that captions of media that still grow are offered from its first segment on. */
export const TEXT_SEGMENT_MS = 4000;
/** Cues that cross segments are repeated, so many long ones multiply. */
const MAX_BYTES = 32 * 1024 * 1024;

/** All segments of a track in one text. Segment n is the header and the `lengths[n]` bytes after those before it. */
export interface TextSegments {
  bodies: Uint8Array;
  /** Bytes of each segment's cues. Segments after the last one have no cues. */
  lengths: number[];
  /** The largest segment over its duration, with its header. */
  peakBps: number;
  averageBps: number;
}

/**
 * Begins each segment of captions in HLS. Cue times are those of the presentation, which begins at 0 on the transport stream's clock (RFC 8216
 * §3.5).
 */
export const SEGMENT_HEADER = "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000\n\n";

/**
 * Cuts sorted cues into segments. A cue is in every segment that it overlaps, with its own times (RFC 8216 §3.5).
 *
 * @throws {CaptionsError} captions_too_dense when the repeated cues are more than 32 MiB; nothing of them has been written then
 */
export function cutSegments(cues: readonly Cue[]): TextSegments {
  const encoder = new TextEncoder();
  const blocks = cues.map((cue) => ({ ...rangeOf(cue), bytes: encoder.encode(vttBlock(cue)) }));
  const total = blocks.reduce((sum, { first, last, bytes }) => sum + (last - first + 1) * bytes.length, 0);
  if (total > MAX_BYTES) throw new CaptionsError("captions_too_dense");
  const lengths: number[] = Array.from({ length: Math.max(0, ...blocks.map(({ last }) => last + 1)) }, () => 0);
  for (const { first, last, bytes } of blocks)
    for (let segment = first; segment <= last; segment += 1) lengths[segment]! += bytes.length;
  const ends: number[] = [];
  let end = 0;
  for (const length of lengths) ends.push((end += length));
  const places = ends.map((one, segment) => one - lengths[segment]!);
  const bodies = new Uint8Array(end);
  for (const { first, last, bytes } of blocks)
    for (let segment = first; segment <= last; segment += 1) {
      bodies.set(bytes, places[segment]);
      places[segment]! += bytes.length;
    }
  const seconds = TEXT_SEGMENT_MS / 1000;
  const rate = (bytes: number) => Math.ceil((bytes * 8) / seconds);
  const largest = lengths.reduce((most, length) => Math.max(most, length), 0);
  const average = lengths.length === 0 ? 0 : end / lengths.length;
  return {
    bodies,
    lengths,
    peakBps: rate(largest + SEGMENT_HEADER.length),
    averageBps: rate(average + SEGMENT_HEADER.length),
  };
}

const rangeOf = ({ startMs, endMs }: Cue) => ({
  first: Math.floor(startMs / TEXT_SEGMENT_MS),
  last: Math.ceil(endMs / TEXT_SEGMENT_MS) - 1,
});

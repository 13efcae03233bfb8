import { CaptionsError, type Cue } from "./cue.ts";
import { timestamp } from "./timestamps.ts";
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

const CLOCK_HZ = 90_000;
/** The clock of MPEG-2 transport streams has 33 bits. Players add the turns that a cue's time is behind. */
const CLOCK_TICKS = 2 ** 33;

/**
 * Begins each segment of captions in HLS (RFC 8216 §3.5). Cue times are those of the presentation; the map says which media time one of them is.
 *
 * @param mediaSeconds media time at `presentationSeconds`
 */
export function segmentHeader({ presentationSeconds, mediaSeconds }: TimestampMap = FROM_ZERO): string {
  const localMs = Math.round(presentationSeconds * 1000);
  const ticks = Math.round((mediaSeconds + localMs / 1000 - presentationSeconds) * CLOCK_HZ);
  const clock = ((ticks % CLOCK_TICKS) + CLOCK_TICKS) % CLOCK_TICKS;
  return `WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:${clock},LOCAL:${timestamp(localMs)}\n\n`;
}
interface TimestampMap {
  presentationSeconds: number;
  mediaSeconds: number;
}
const FROM_ZERO: TimestampMap = { presentationSeconds: 0, mediaSeconds: 0 };
const HEADER_BYTES = segmentHeader().length;

/**
 * Cuts sorted cues into segments. A cue is in every segment that it overlaps, with its own times (RFC 8216 §3.5).
 *
 * @throws {CaptionsError} captions_too_dense when the repeated cues are more than 32 MiB; nothing of them has been written then
 */
export function cutSegments(cues: readonly Cue[]): TextSegments {
  const encoder = new TextEncoder();
  // The blocks are encoded twice: 100,000 arrays of bytes need more memory than all else.
  const sizes = Uint32Array.from(cues, (cue) => encoder.encode(vttBlock(cue)).length);
  const lengths: number[] = [];
  let total = 0;
  for (const [index, cue] of cues.entries()) {
    const { first, last } = rangeOf(cue);
    total += (last - first + 1) * sizes[index]!;
    if (total > MAX_BYTES) throw new CaptionsError("captions_too_dense");
    while (lengths.length <= last) lengths.push(0);
    for (let segment = first; segment <= last; segment += 1) lengths[segment]! += sizes[index]!;
  }
  const places: number[] = [];
  let end = 0;
  for (const length of lengths) {
    places.push(end);
    end += length;
  }
  const bodies = new Uint8Array(end);
  for (const cue of cues) {
    const { first, last } = rangeOf(cue);
    const bytes = encoder.encode(vttBlock(cue));
    for (let segment = first; segment <= last; segment += 1) {
      bodies.set(bytes, places[segment]);
      places[segment]! += bytes.length;
    }
  }
  const seconds = TEXT_SEGMENT_MS / 1000;
  const rate = (bytes: number) => Math.ceil((bytes * 8) / seconds);
  const largest = lengths.reduce((most, length) => Math.max(most, length), 0);
  const average = lengths.length === 0 ? 0 : end / lengths.length;
  return {
    bodies,
    lengths,
    peakBps: rate(largest + HEADER_BYTES),
    averageBps: rate(average + HEADER_BYTES),
  };
}

const rangeOf = ({ startMs, endMs }: Cue) => ({
  first: Math.floor(startMs / TEXT_SEGMENT_MS),
  last: Math.ceil(endMs / TEXT_SEGMENT_MS) - 1,
});

import { ByteWriter } from "../mp4/byte-writer.ts";
import { SampleColumns, writeFragmentHeader } from "../mp4/fragment.ts";
import { boxHeader } from "../mp4/boxes.ts";
import { readFragment, UnreadableFragment } from "../cenc/read-fragment.ts";
import type { SoundCut } from "./clip-range.ts";

interface SoundFrame {
  data: Uint8Array;
  durationTicks: number;
  decodeTicks: number;
}

/**
 * The part of a segment of sound between two decode times, as a segment. Its frames are those of the segment, unchanged.
 *
 * @returns its bytes and its duration; null when no frame begins between them
 * @throws {UnreadableFragment}
 */
export function cutSound(
  segment: Uint8Array,
  { startTicks, endTicks }: SoundCut,
): { bytes: Uint8Array<ArrayBuffer>; startTicks: number; durationTicks: number } | null {
  const frames = framesOf(segment).filter(({ decodeTicks }) => decodeTicks >= startTicks && decodeTicks < endTicks);
  const [first] = frames;
  if (first === undefined) return null;
  const columns = new SampleColumns();
  for (const { data, durationTicks: duration } of frames)
    columns.add({ size: data.length, duration, compositionOffset: 0, isKey: true, offset: 0 });
  const type = segmentType(segment);
  const mediaBytes = frames.reduce((sum, { data }) => sum + data.length, 0);
  const out = new ByteWriter(type.length + 128 + frames.length * 8 + mediaBytes);
  out.raw(type);
  writeFragmentHeader(out, 1, first.decodeTicks, columns);
  for (const { data } of frames) out.raw(data);
  const durationTicks = frames.reduce((sum, frame) => sum + frame.durationTicks, 0);
  return { bytes: out.written().slice(), startTicks: first.decodeTicks, durationTicks };
}

function framesOf(segment: Uint8Array): SoundFrame[] {
  const view = new DataView(segment.buffer, segment.byteOffset, segment.byteLength);
  const frames: SoundFrame[] = [];
  for (let at = 0; at + 8 <= segment.length;) {
    const { type, size, headerBytes } = boxHeader(view, at);
    if (size < headerBytes || at + size > segment.length) throw new UnreadableFragment(`a damaged '${type}' box`);
    if (type === "moof") addFrames(segment, { at, size }, frames);
    at += size;
  }
  return frames;
}

/** The media data follow the `moof` at once. */
function addFrames(segment: Uint8Array, { at, size }: { at: number; size: number }, frames: SoundFrame[]): void {
  const { decodeTicks, rows } = readFragment(segment.subarray(at, at + size));
  let ticks = decodeTicks;
  let from = at + size + 8;
  for (const { bytes, durationTicks } of rows) {
    if (from + bytes > segment.length) throw new UnreadableFragment("a frame beyond the end of its segment");
    frames.push({ data: segment.subarray(from, from + bytes), durationTicks, decodeTicks: ticks });
    ticks += durationTicks;
    from += bytes;
  }
}

/** The `styp` box of a segment, if it begins with one. */
function segmentType(segment: Uint8Array): Uint8Array {
  const { type, size } = boxHeader(new DataView(segment.buffer, segment.byteOffset, segment.byteLength), 0);
  return type === "styp" ? segment.subarray(0, size) : segment.subarray(0, 0);
}

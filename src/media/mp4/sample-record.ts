import { type ByteWriter, MAX_VARINT_BYTES, putVarint } from "./byte-writer.ts";
import type { SampleColumns } from "./fragment.ts";

/**
 * A compact encoding of the samples of one segment. An hour of finely interleaved media has 250,000 samples, and all are written before
 * the source is playable.
 *
 * Numbers are varints: seven bits per byte, least significant first, with the top bit set on all but the last byte. Signed numbers use
 * zigzag encoding (0, -1, 1, -2 become 0, 1, 2, 3). A record starts with the decoding time and the number of samples. Each sample is its
 * size times 16 plus flags, followed by the fields that the flags announce, in this order:
 *
 *   1  not adjacent to the previous sample: signed distance from its end (the first sample: from 0)
 *   2  duration differs from the previous sample's (the first sample: from 0)
 *   4  composition offset differs: signed difference from the previous sample's (the first sample: from 0)
 *   8  toggles between key frame and other frame (the state before the first sample is key frame)
 */
const MOVED = 1;
const DURATION = 2;
const COMPOSITION = 4;
const KEY_CHANGE = 8;
const SIZE_UNIT = 16;

/** Four numbers per sample. */
const MAX_SAMPLE_BYTES = 4 * MAX_VARINT_BYTES;

/** Sizes stay below 2^27 bytes. */
export function writeSampleRecord(out: ByteWriter, decodeTicks: number, samples: SampleColumns) {
  out.varint(decodeTicks);
  out.varint(samples.count);
  out.write(samples.count * MAX_SAMPLE_BYTES, (bytes, at) => putSamples(bytes, at, samples));
}

/** @returns the position after them */
function putSamples(bytes: Uint8Array, start: number, samples: SampleColumns): number {
  const { count, sizes, durations, compositionOffsets, isKey, offsets } = samples;
  let at = start;
  let end = 0;
  let duration = 0;
  let composition = 0;
  let key = 1;
  for (let row = 0; row < count; row++) {
    const size = sizes[row]!;
    const moved = offsets[row]! - end;
    const turned = compositionOffsets[row]! - composition;
    const flags =
      (moved === 0 ? 0 : MOVED) |
      (durations[row] === duration ? 0 : DURATION) |
      (turned === 0 ? 0 : COMPOSITION) |
      (isKey[row] === key ? 0 : KEY_CHANGE);
    at = putVarint(bytes, at, size * SIZE_UNIT + flags);
    if (moved !== 0) at = putVarint(bytes, at, folded(moved));
    if (flags & DURATION) at = putVarint(bytes, at, (duration = durations[row]!));
    if (turned !== 0) at = putVarint(bytes, at, folded(turned));
    composition += turned;
    key = isKey[row]!;
    end = offsets[row]! + size;
  }
  return at;
}

/** The inverse of `writeSampleRecord`. @throws {RangeError} when the record is truncated */
export function readSampleRecord(bytes: Uint8Array, into: SampleColumns): { decodeTicks: number } {
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let unit = 1; ; unit *= 128) {
      const byte = bytes[at++];
      if (byte === undefined) throw new RangeError("a sample record is truncated");
      value += (byte & 127) * unit;
      if (byte < 128) return value;
    }
  };
  const decodeTicks = varint();
  const count = varint();
  into.count = 0;
  let [offset, duration, compositionOffset, isKey] = [0, 0, 0, true];
  for (let row = 0; row < count; row++) {
    const token = varint();
    const size = Math.floor(token / SIZE_UNIT);
    if (token & MOVED) offset += unfolded(varint());
    if (token & DURATION) duration = varint();
    if (token & COMPOSITION) compositionOffset += unfolded(varint());
    if (token & KEY_CHANGE) isKey = !isKey;
    into.add({ size, duration, compositionOffset, isKey, offset });
    offset += size;
  }
  return { decodeTicks };
}

const folded = (value: number) => (value < 0 ? -2 * value - 1 : 2 * value);
const unfolded = (value: number) => (value % 2 === 0 ? value / 2 : -(value + 1) / 2);

import type { ByteWriter } from "./byte-writer.ts";

/** The samples of one segment in decoding order, column by column; rows are reused from segment to segment. */
export class SampleColumns {
  count = 0;
  sizes = new Uint32Array(512);
  durations = new Uint32Array(512);
  compositionOffsets = new Int32Array(512);
  isKey = new Uint8Array(512);
  offsets = new Float64Array(512);

  add(sample: { size: number; duration: number; compositionOffset: number; isKey: boolean; offset: number }) {
    this.makeRoom(1);
    const row = this.count++;
    this.sizes[row] = sample.size;
    this.durations[row] = sample.duration;
    this.compositionOffsets[row] = sample.compositionOffset;
    this.isKey[row] = sample.isKey ? 1 : 0;
    this.offsets[row] = sample.offset;
  }

  /** Replaces the columns by longer ones unless this many rows can be added. */
  makeRoom(rows: number) {
    if (this.count + rows <= this.sizes.length) return;
    const length = Math.max(this.count * 2, this.count + rows);
    this.sizes = double(this.sizes, new Uint32Array(length));
    this.durations = double(this.durations, new Uint32Array(length));
    this.compositionOffsets = double(this.compositionOffsets, new Int32Array(length));
    this.isKey = double(this.isKey, new Uint8Array(length));
    this.offsets = double(this.offsets, new Float64Array(length));
  }
}

function double<T extends Uint32Array | Int32Array | Uint8Array | Float64Array>(column: T, bigger: T): T {
  bigger.set(column);
  return bigger;
}

/** Sample flags (14496-12 §8.8.3.1): a key frame depends on no other; any other sample does, and is a non-sync sample. */
const KEY_FLAGS = 0x02000000;
const DELTA_FLAGS = 0x01010000;

/** The layout of the fragment's tables: values common to all samples are written once, as defaults. */
interface Layout {
  mediaBytes: number;
  durationTicks: number;
  everyIsKey: boolean;
  onlyFirstIsKey: boolean;
  uniformFlags: boolean;
  sameDuration: boolean;
  noOffsets: boolean;
}

function layOut({ count, sizes, durations, compositionOffsets, isKey }: SampleColumns): Layout {
  let mediaBytes = 0;
  let durationTicks = 0;
  let keys = 0;
  let otherDurations = 0;
  let offsets = 0;
  const duration = durations[0];
  for (let row = 0; row < count; row++) {
    mediaBytes += sizes[row]!;
    durationTicks += durations[row]!;
    keys += isKey[row]!;
    if (durations[row] !== duration) otherDurations += 1;
    if (compositionOffsets[row] !== 0) offsets += 1;
  }
  const onlyFirstIsKey = keys === 1 && isKey[0] === 1;
  return {
    mediaBytes,
    durationTicks,
    everyIsKey: keys === count,
    onlyFirstIsKey,
    uniformFlags: keys === count || onlyFirstIsKey,
    sameDuration: otherDurations === 0,
    noOffsets: offsets === 0,
  };
}

/** Size of `moof` and the `mdat` header without the fields that depend on the samples. */
const FIXED_BYTES = 100;

/** Sizes of the header that `writeFragmentHeader` writes, and of the media data after it. */
export interface FragmentMeasure {
  headerBytes: number;
  mediaBytes: number;
  durationTicks: number;
}

export function measureFragment(samples: SampleColumns): FragmentMeasure {
  const { mediaBytes, durationTicks, onlyFirstIsKey, uniformFlags, sameDuration, noOffsets } = layOut(samples);
  const perSample = 4 + (sameDuration ? 0 : 4) + (uniformFlags ? 0 : 4) + (noOffsets ? 0 : 4);
  const headerBytes = FIXED_BYTES + (sameDuration ? 4 : 0) + (onlyFirstIsKey ? 4 : 0) + perSample * samples.count;
  return { headerBytes, mediaBytes, durationTicks };
}

/**
 * Writes `moof` and the header of the following `mdat` (14496-12 §8.8), without the media data. Composition offsets are signed (version 1),
 * so that decoding and presentation both start at 0 without an edit list.
 *
 * @returns bytes written
 */
export function writeFragmentHeader(
  out: ByteWriter,
  sequence: number,
  decodeTicks: number,
  samples: SampleColumns,
): number {
  const start = out.length;
  const { count, sizes, durations, compositionOffsets, isKey } = samples;
  const { mediaBytes, everyIsKey, onlyFirstIsKey, uniformFlags, sameDuration, noOffsets } = layOut(samples);
  const trunFlags =
    0x000201 |
    (onlyFirstIsKey ? 0x4 : 0) |
    (sameDuration ? 0 : 0x100) |
    (uniformFlags ? 0 : 0x400) |
    (noOffsets ? 0 : 0x800);

  let dataOffsetAt = 0;
  out.box("moof", () => {
    out.fullBox("mfhd", 0, 0, () => out.u32(sequence));
    out.box("traf", () => {
      out.fullBox("tfhd", 0, 0x020000 | 0x20 | (sameDuration ? 0x8 : 0), () => {
        out.u32(1);
        if (sameDuration) out.u32(durations[0]!);
        out.u32(everyIsKey ? KEY_FLAGS : DELTA_FLAGS);
      });
      out.fullBox("tfdt", 1, 0, () => out.u64(decodeTicks));
      out.fullBox("trun", 1, trunFlags, () => {
        out.u32(count);
        dataOffsetAt = out.length;
        out.u32(0);
        if (onlyFirstIsKey) out.u32(KEY_FLAGS);
        for (let row = 0; row < count; row++) {
          if (!sameDuration) out.u32(durations[row]!);
          out.u32(sizes[row]!);
          if (!uniformFlags) out.u32(isKey[row] === 1 ? KEY_FLAGS : DELTA_FLAGS);
          if (!noOffsets) out.i32(compositionOffsets[row]!);
        }
      });
    });
  });
  out.u32(8 + mediaBytes);
  out.text("mdat");
  out.setU32(dataOffsetAt, out.length - start);
  return out.length - start;
}

/** Places sound on a sample timeline: fills gaps with silence and drops overlaps. Pure. */

/**
 * Sound whose timestamps deviate less is appended without a gap. Timestamps are rounded and jitter, and frames of one capture buffer often
 * have one timestamp: of four AAC frames at 48 kHz, the last is then 64 ms early.
 */
const LARGEST_STEP_SECONDS = { gap: 0.1, overlap: 0.2 };
/** Smaller deviations are never corrected. */
const SMALLEST_SHIFT_SECONDS = 0.02;
/** A deviation that all pieces of this duration share is not that of single timestamps: sound was lost, or the source's clock drifts. */
const SHIFTED_SECONDS = 1;

/** About one second of AAC frames. */
const SHIFT_PIECES = 48;

export class Pcm {
  readonly sampleRateHz: number;
  readonly channels: number;
  #planes: Float32Array[];
  #start: number; // timeline sample at which the planes begin
  #length = 0;
  #shift = 0;
  /** The sound before the next piece is the source's, not silence in its place. */
  #isPlaced = false;
  /** Samples by which the timestamps of all the last pieces are at least later (positive) or earlier than their places, and their length. */
  #deviation = { least: 0, length: 0 };
  /** Contiguous sound that is already published: its start, averaged over its timestamps, and its length. Null once new sound arrives. */
  #published: { beginsSum: number; pieces: number; length: number } | null;

  /** @param start the timeline's first sample; a value above 0 continues a timeline, so the first sound is placed exactly */
  constructor(sampleRateHz: number, channels: number, start = 0) {
    this.#start = start;
    this.#published = start > 0 ? { beginsSum: 0, pieces: 0, length: 0 } : null;
    this.sampleRateHz = sampleRateHz;
    this.channels = channels;
    this.#planes = Array.from({ length: channels }, () => new Float32Array(sampleRateHz));
  }

  /** Samples by which sound is placed after its timestamps, averaged over the last second. */
  get shift(): number {
    return Math.round(this.#shift);
  }

  /** The sample after the last one. */
  get end(): number {
    return this.#start + this.#length;
  }

  /** @param at timeline position of the first sample; samples before `end` are dropped */
  write(at: number, planes: Float32Array[]): void {
    const count = planes[0]!.length;
    const isSeamless = this.#published === null && this.#isPlaced && this.#isNear(at, this.end);
    const from = this.#published === null ? (isSeamless ? this.#steady(at, count) : at) : this.#exactly(at, count);
    this.#shift = isSeamless ? this.#shift + (from - at - this.#shift) / SHIFT_PIECES : 0;
    if (!isSeamless) this.#deviation = { least: 0, length: 0 };
    this.padTo(from);
    this.#isPlaced = true;
    const skipped = this.end - from;
    if (skipped >= count) return;
    this.#reserve(count - skipped);
    for (const [i, plane] of planes.entries()) this.#planes[i]!.set(plane.subarray(skipped), this.#length);
    this.#length += count - skipped;
  }

  /** Appends silence up to this sample. The next sound is placed exactly. */
  padTo(sample: number): void {
    const count = sample - this.end;
    if (count <= 0) return;
    this.#reserve(count);
    for (const plane of this.#planes) plane.fill(0, this.#length, this.#length + count);
    this.#length += count;
    this.#isPlaced = false;
  }

  /** Removes and returns the oldest samples, one plane per channel; null while there are fewer. */
  read(count: number): Float32Array[] | null {
    if (this.#length < count) return null;
    const taken = this.#planes.map((plane) => plane.slice(0, count));
    for (const plane of this.#planes) plane.copyWithin(0, count, this.#length);
    this.#start += count;
    this.#length -= count;
    return taken;
  }

  #isNear = (at: number, end: number) =>
    at - end < LARGEST_STEP_SECONDS.gap * this.sampleRateHz &&
    end - at < LARGEST_STEP_SECONDS.overlap * this.sampleRateHz;

  /** The end of the sound before, moved by the deviation that all pieces of the last second share. */
  #steady(at: number, count: number): number {
    const by = at - this.end;
    const { least, length } = this.#deviation;
    const isShared = length > 0 && Math.sign(by) === Math.sign(least);
    this.#deviation = isShared
      ? { least: Math.abs(by) < Math.abs(least) ? by : least, length: length + count }
      : { least: by, length: count };
    const shared = this.#deviation;
    if (shared.length < SHIFTED_SECONDS * this.sampleRateHz) return this.end;
    this.#deviation = { least: 0, length: 0 };
    return Math.abs(shared.least) < SMALLEST_SHIFT_SECONDS * this.sampleRateHz ? this.end : this.end + shared.least;
  }

  /** Averages the start over all timestamps, because each one is rounded. */
  #exactly(at: number, count: number): number {
    const { beginsSum, pieces, length } = this.#published!;
    const isContiguous = pieces > 0 && this.#isNear(at - length, beginsSum / pieces);
    const out = isContiguous ? this.#published! : { beginsSum: 0, pieces: 0, length: 0 };
    out.beginsSum += at - out.length;
    out.pieces += 1;
    const from = Math.round(out.beginsSum / out.pieces) + out.length;
    out.length += count;
    this.#published = from + count <= this.end ? out : null;
    return from;
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#planes[0]!.length) return;
    this.#planes = this.#planes.map((plane) => {
      const larger = new Float32Array(needed * 2);
      larger.set(plane.subarray(0, this.#length));
      return larger;
    });
  }
}

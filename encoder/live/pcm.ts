/** Sound on a timeline of samples: holes are silence, overlaps are dropped. Pure. */

/** Steps smaller than this are rounding of timestamps: the sound goes on without a seam. */
const SMALLEST_HOLE_SECONDS = 0.02;

/** AAC frames of about a second. */
const SHIFT_PIECES = 48;

export class Pcm {
  readonly sampleRateHz: number;
  readonly channels: number;
  #planes: Float32Array[];
  #start: number; // sample of the timeline at which the planes begin
  #length = 0;
  #shift = 0;
  /** Sound that is out already, until some is not: where it begins, on average of its timestamps, and how long it is. */
  #out: { beginsSum: number; pieces: number; length: number } | null;

  /** @param start the timeline's first sample; one that is not 0 goes on with a timeline, so the first sound is placed exactly */
  constructor(sampleRateHz: number, channels: number, start = 0) {
    this.#start = start;
    this.#out = start > 0 ? { beginsSum: 0, pieces: 0, length: 0 } : null;
    this.sampleRateHz = sampleRateHz;
    this.channels = channels;
    this.#planes = Array.from({ length: channels }, () => new Float32Array(sampleRateHz));
  }

  /** How far behind its timestamps sound is put, on average of the last second. */
  get shift(): number {
    return Math.round(this.#shift);
  }

  /** The sample behind the last one. */
  get end(): number {
    return this.#start + this.#length;
  }

  /** @param at where the first of them belongs; what lies before the end is dropped */
  write(at: number, planes: Float32Array[]): void {
    const count = planes[0]!.length;
    const isSeamless = this.#out === null && this.#isNear(at, this.end);
    const from = this.#out === null ? (isSeamless ? this.end : at) : this.#exactly(at, count);
    this.#shift = isSeamless ? this.#shift + (from - at - this.#shift) / SHIFT_PIECES : 0;
    this.padTo(from);
    const skipped = this.end - from;
    if (skipped >= count) return;
    this.#reserve(count - skipped);
    for (const [i, plane] of planes.entries()) this.#planes[i]!.set(plane.subarray(skipped), this.#length);
    this.#length += count - skipped;
  }

  /** Silence up to this sample. */
  padTo(sample: number): void {
    const count = sample - this.end;
    if (count <= 0) return;
    this.#reserve(count);
    for (const plane of this.#planes) plane.fill(0, this.#length, this.#length + count);
    this.#length += count;
  }

  /** The oldest samples, one plane for each channel; null while there are fewer. */
  read(count: number): Float32Array[] | null {
    if (this.#length < count) return null;
    const taken = this.#planes.map((plane) => plane.slice(0, count));
    for (const plane of this.#planes) plane.copyWithin(0, count, this.#length);
    this.#start += count;
    this.#length -= count;
    return taken;
  }

  #isNear = (a: number, b: number) => Math.abs(a - b) < SMALLEST_HOLE_SECONDS * this.sampleRateHz;

  /** Timestamps are rounded; where sound belongs is known better from all of them. */
  #exactly(at: number, count: number): number {
    const { beginsSum, pieces, length } = this.#out!;
    const goesOn = pieces > 0 && this.#isNear(at - length, beginsSum / pieces);
    const out = goesOn ? this.#out! : { beginsSum: 0, pieces: 0, length: 0 };
    out.beginsSum += at - out.length;
    out.pieces += 1;
    const from = Math.round(out.beginsSum / out.pieces) + out.length;
    out.length += count;
    this.#out = from + count <= this.end ? out : null;
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

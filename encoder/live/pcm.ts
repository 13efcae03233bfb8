/** Sound on a timeline of samples: holes are silence, overlaps are dropped. Pure. */

/** Steps smaller than this are rounding of timestamps: the sound goes on without a seam. */
const SMALLEST_HOLE_SECONDS = 0.02;

export class Pcm {
  readonly sampleRateHz: number;
  readonly channels: number;
  #planes: Float32Array[];
  #start: number; // sample of the timeline at which the planes begin
  #length = 0;
  #isExact: boolean;
  #shift = 0;

  /** @param start the timeline's first sample; one that is not 0 goes on with a timeline, so what comes first is placed exactly */
  constructor(sampleRateHz: number, channels: number, start = 0) {
    this.#start = start;
    this.#isExact = start > 0;
    this.sampleRateHz = sampleRateHz;
    this.channels = channels;
    this.#planes = Array.from({ length: channels }, () => new Float32Array(sampleRateHz));
  }

  /** How far behind its timestamp the last sound was put. */
  get shift(): number {
    return this.#shift;
  }

  /** The sample behind the last one. */
  get end(): number {
    return this.#start + this.#length;
  }

  /** @param at where the first of them belongs; what lies before the end is dropped */
  write(at: number, planes: Float32Array[]): void {
    const count = planes[0]!.length;
    const isSeamless = !this.#isExact && Math.abs(at - this.end) < SMALLEST_HOLE_SECONDS * this.sampleRateHz;
    const from = isSeamless ? this.end : at;
    this.#isExact &&= at + count <= this.end;
    this.#shift = from - at;
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

import { PlaceReader } from "./sample-places.ts";
import { TimeReader } from "./sample-times.ts";
import type { SampleTable } from "./sample-table.ts";

const BATCH_SAMPLES = 2048;

/**
 * Iterates over the samples of a track in decoding order. `load()` decodes the next batch, `next()` advances to the next sample of it.
 * After `next()` the fields describe the current sample.
 */
export class SampleCursor {
  /** From 0. */
  index = -1;
  /** Decoding time and duration in ticks of the track, before any edit list. */
  decodeTicks = 0;
  durationTicks = 0;
  compositionOffsetTicks = 0;
  isKey = false;
  size = 0;
  /** Byte offset in the file. */
  offset = 0;

  private readonly sampleCount: number;
  private readonly times: TimeReader;
  private readonly places: PlaceReader | null;
  private row = 0;
  private rows = 0;

  /** @param fields "times" skips `size` and `offset`, whose tables are the largest */
  constructor(table: SampleTable, fields: "times" | "all") {
    this.sampleCount = table.sampleCount;
    this.times = new TimeReader(table, BATCH_SAMPLES);
    this.places = fields === "all" ? new PlaceReader(table, BATCH_SAMPLES) : null;
  }

  /**
   * Decodes the next batch of samples. @returns false after the last one
   *
   * @throws {NotStandard} when a table describes fewer samples than there are sizes
   */
  async load(): Promise<boolean> {
    const first = this.index + 1;
    const count = Math.min(BATCH_SAMPLES, this.sampleCount - first);
    if (count === 0) return false;
    await this.times.read(first, count);
    await this.places?.read(count);
    this.row = 0;
    this.rows = count;
    return true;
  }

  /** @returns false at the end of the batch */
  next(): boolean {
    if (this.row === this.rows) return false;
    const { times, places, row } = this;
    this.row += 1;
    this.index += 1;
    this.decodeTicks += this.durationTicks;
    this.durationTicks = times.durations[row]!;
    this.compositionOffsetTicks = times.compositionOffsets[row]!;
    this.isKey = times.isKey[row] === 1;
    if (places !== null) {
      this.size = places.sizes[row]!;
      this.offset = places.offsets[row]!;
    }
    return true;
  }
}

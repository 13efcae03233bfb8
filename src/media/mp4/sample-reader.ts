import { SampleColumns } from "./fragment.ts";
import { PlaceReader } from "./sample-places.ts";
import { TimeReader } from "./sample-times.ts";
import type { SampleTable } from "./sample-table.ts";

/** Samples that are decoded at a time when they are not written. */
export const BATCH_SAMPLES = 2048;

/**
 * Passes the times of all samples to `take`, a batch at a time. Sizes and offsets are not read; their tables are the largest.
 *
 * @throws {NotStandard} as `SampleReader`; what `take` throws
 */
export async function readTimes(table: SampleTable, take: (batch: SampleColumns) => void): Promise<void> {
  const reader = new SampleReader(table, "times");
  for (const batch = new SampleColumns(); reader.left > 0; batch.count = 0) {
    await reader.read(batch, BATCH_SAMPLES);
    take(batch);
  }
}

/** Reads the samples of a track into columns, in decoding order. */
export class SampleReader {
  /** Samples that have not been read. */
  left: number;
  private readonly sampleCount: number;
  private readonly times: TimeReader;
  private readonly places: PlaceReader | null;

  /**
   * @param fields "times" leaves sizes and offsets as they are
   * @param shiftTicks added to every composition offset
   */
  constructor(table: SampleTable, fields: "times" | "all", shiftTicks = 0) {
    this.left = table.sampleCount;
    this.sampleCount = table.sampleCount;
    this.times = new TimeReader(table, shiftTicks);
    this.places = fields === "all" ? new PlaceReader(table) : null;
  }

  /** Where the data of the samples read so far ends in the file, in bytes. */
  get endOffset(): number {
    return this.places?.endOffset ?? 0;
  }

  /** A sample read so far has no bytes. */
  get hasEmpty(): boolean {
    return this.places?.hasEmpty ?? false;
  }

  /**
   * Adds the next samples, at most as many as are left.
   *
   * @throws {NotStandard} when a table describes fewer samples than there are sizes
   */
  async read(into: SampleColumns, samples: number): Promise<void> {
    const rows = Math.min(samples, this.left);
    into.makeRoom(rows);
    await this.times.read(into, this.sampleCount - this.left, rows);
    await this.places?.read(into, rows);
    into.count += rows;
    this.left -= rows;
  }
}

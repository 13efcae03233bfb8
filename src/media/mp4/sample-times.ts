import { standardOnlyIf } from "./not-standard.ts";
import type { SampleTable } from "./sample-table.ts";
import { TableRows } from "./table-rows.ts";

/** Decodes `stts`, `ctts` and `stss`, a batch of samples at a time. */
export class TimeReader {
  readonly durations: Uint32Array;
  readonly compositionOffsets: Int32Array;
  readonly isKey: Uint8Array;
  private readonly durationRuns: SampleRuns;
  private readonly compositionRuns: SampleRuns | null;
  private readonly sync: TableRows | null;
  /** Index of the last sample listed in `stss`. */
  private lastKey = -1;

  constructor({ bytes, timeToSample, compositionOffsets, syncSamples }: SampleTable, batchSamples: number) {
    this.durations = new Uint32Array(batchSamples);
    this.compositionOffsets = new Int32Array(batchSamples);
    this.isKey = new Uint8Array(batchSamples);
    this.durationRuns = new SampleRuns(new TableRows(bytes, timeToSample), "fewer times than samples");
    this.compositionRuns =
      compositionOffsets &&
      new SampleRuns(new TableRows(bytes, compositionOffsets), "fewer composition offsets than samples");
    this.sync = syncSamples && new TableRows(bytes, syncSamples);
  }

  async read(first: number, count: number): Promise<void> {
    await this.durationRuns.fill(this.durations, count);
    // Read as signed in version 0 too: some writers store negative offsets, and unsigned values that large do not occur.
    await this.compositionRuns?.fill(this.compositionOffsets, count);
    if (this.sync === null) this.isKey.fill(1, 0, count);
    else await this.readKeys(this.sync, first, count);
  }

  /** A sample number that is not greater than the previous one is ignored. */
  private async readKeys(rows: TableRows, first: number, count: number): Promise<void> {
    this.isKey.fill(0, 0, count);
    while (!rows.isEmpty || (await rows.load())) {
      const sample = rows.view.getUint32(rows.at) - 1;
      if (sample >= first + count) return;
      if (sample > this.lastKey) {
        this.isKey[sample - first] = 1;
        this.lastKey = sample;
      }
      rows.at += 4;
    }
  }
}

/** A run-length coded table (`stts`, `ctts`): each row has a number of samples and their common value. */
class SampleRuns {
  private readonly rows: TableRows;
  private readonly shortReason: string;
  private value = 0;
  private left = 0;

  constructor(rows: TableRows, shortReason: string) {
    this.rows = rows;
    this.shortReason = shortReason;
  }

  async fill(column: Uint32Array | Int32Array, count: number): Promise<void> {
    const { rows } = this;
    for (let row = 0; row < count;) {
      if (this.left === 0) {
        standardOnlyIf(!rows.isEmpty || (await rows.load()), this.shortReason);
        this.left = rows.view.getUint32(rows.at);
        this.value = rows.view.getUint32(rows.at + 4);
        rows.at += 8;
      }
      const samples = Math.min(this.left, count - row);
      // Most composition offsets apply to one sample, so a call per row would be slow.
      if (samples === 1) column[row] = this.value;
      else column.fill(this.value, row, row + samples);
      row += samples;
      this.left -= samples;
    }
  }
}

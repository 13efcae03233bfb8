import type { SampleColumns } from "./fragment.ts";
import { standardOnlyIf } from "./not-standard.ts";
import type { SampleTable } from "./sample-table.ts";
import { TableRows } from "./table-rows.ts";

/** Decodes `stts`, `ctts` and `stss` into columns. */
export class TimeReader {
  private readonly durationRuns: SampleRuns;
  private readonly compositionRuns: SampleRuns | null;
  private readonly sync: TableRows | null;
  private readonly shiftTicks: number;
  /** Index of the last sample listed in `stss`. */
  private lastKey = -1;

  /** @param shiftTicks added to every composition offset */
  constructor({ bytes, timeToSample, compositionOffsets, syncSamples }: SampleTable, shiftTicks: number) {
    this.durationRuns = new SampleRuns(new TableRows(bytes, timeToSample), 0, "fewer times than samples");
    this.compositionRuns =
      compositionOffsets &&
      new SampleRuns(new TableRows(bytes, compositionOffsets), shiftTicks, "fewer composition offsets than samples");
    this.sync = syncSamples && new TableRows(bytes, syncSamples);
    this.shiftTicks = shiftTicks;
  }

  /** Fills the rows after the last one. @param first index of their first sample */
  async read(into: SampleColumns, first: number, rows: number): Promise<void> {
    const [start, end] = [into.count, into.count + rows];
    await this.durationRuns.read(into.durations, start, end);
    // Read as signed in version 0 too: some writers store negative offsets, and unsigned values that large do not occur.
    if (this.compositionRuns === null) into.compositionOffsets.fill(this.shiftTicks, start, end);
    else await this.compositionRuns.read(into.compositionOffsets, start, end);
    if (this.sync === null) into.isKey.fill(1, start, end);
    else await this.readKeys(this.sync, into.isKey.subarray(start, end), first);
  }

  /** A sample number that is not greater than the previous one is ignored. */
  private async readKeys(rows: TableRows, isKey: Uint8Array, first: number): Promise<void> {
    isKey.fill(0);
    while (!rows.isEmpty || (await rows.load())) {
      const sample = rows.view.getUint32(rows.at) - 1;
      if (sample >= first + isKey.length) return;
      if (sample > this.lastKey) {
        isKey[sample - first] = 1;
        this.lastKey = sample;
      }
      rows.at += 4;
    }
  }
}

/** A run-length coded table (`stts`, `ctts`): each row has a number of samples and their common value. */
class SampleRuns {
  private readonly rows: TableRows;
  private readonly added: number;
  private readonly shortReason: string;
  private value = 0;
  private left = 0;

  /** @param added to every value */
  constructor(rows: TableRows, added: number, shortReason: string) {
    this.rows = rows;
    this.added = added;
    this.shortReason = shortReason;
  }

  async read(column: Uint32Array | Int32Array, start: number, end: number): Promise<void> {
    for (let row = this.fill(column, start, end); row < end; row = this.fill(column, row, end))
      standardOnlyIf(await this.rows.load(), this.shortReason);
  }

  /** Fills from the table's rows in memory. @returns the column's next row */
  private fill(column: Uint32Array | Int32Array, start: number, end: number): number {
    const { view } = this.rows;
    let { at } = this.rows;
    let { left, value } = this;
    let row = start;
    while (row < end) {
      if (left === 0) {
        if (at === view.byteLength) break;
        left = view.getUint32(at);
        value = view.getUint32(at + 4) + this.added;
        at += 8;
      }
      const samples = Math.min(left, end - row);
      // Most composition offsets apply to one sample, so a call per row would be slow.
      if (samples === 1) column[row] = value;
      else column.fill(value, row, row + samples);
      row += samples;
      left -= samples;
    }
    this.rows.at = at;
    this.left = left;
    this.value = value;
    return row;
  }
}

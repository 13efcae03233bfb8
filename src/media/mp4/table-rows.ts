import type { IndexBytes } from "./index-bytes.ts";

/** One table of a track, given by the positions of its rows in the index. */
export interface Table {
  at: number;
  end: number;
}

/** Iterates once over the rows of a table. The current row begins at `at` in `view`. */
export class TableRows {
  view: DataView = new DataView(new ArrayBuffer(0));
  at = 0;
  private readonly bytes: IndexBytes;
  private readonly end: number;
  private next: number;
  private window: DataView | null = null;

  constructor(bytes: IndexBytes, table: Table) {
    this.bytes = bytes;
    this.next = table.at;
    this.end = table.end;
  }

  /** All rows in memory have been consumed. */
  get isEmpty(): boolean {
    return this.at === this.view.byteLength;
  }

  /** Reads the next rows into memory. @returns false after the last row */
  async load(): Promise<boolean> {
    if (this.next === this.end) return false;
    const view = await this.bytes.rows(this.next, this.end, this.window);
    this.window = view;
    this.view = view;
    this.next += view.byteLength;
    this.at = 0;
    return true;
  }
}

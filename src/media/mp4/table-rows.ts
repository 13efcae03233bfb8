import type { IndexBytes } from "./index-bytes.ts";

/** One table of a track: its rows lie between two positions in the index. */
export interface Table {
  at: number;
  end: number;
}

/** Goes through the rows of a table once, from the first to the last. The current row begins at `at` in `view`. */
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

  /** The rows in memory are used up. */
  get isEmpty(): boolean {
    return this.at === this.view.byteLength;
  }

  /** Brings the next rows into memory. False behind the last row. */
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

import type { SampleColumns } from "./fragment.ts";
import { standardOnlyIf } from "./not-standard.ts";
import type { SampleTable } from "./sample-table.ts";
import { TableRows } from "./table-rows.ts";

/** Decodes `stsz`, `stsc` and the chunk offsets into columns. */
export class PlaceReader {
  /** Where the data of the samples read so far ends in the file, in bytes. */
  endOffset = 0;
  /** A sample read so far has no bytes. */
  hasEmpty = false;
  private readonly uniformSize: number;
  private readonly sizeRows: TableRows;
  private readonly chunkRows: TableRows;
  private readonly wideOffsets: boolean;
  private readonly layout: ChunkLayout;
  private samplesLeft = 0;
  /** Offset of the next sample if it is in the same chunk. */
  private next = 0;

  constructor({ bytes, uniformSize, sizes, sampleToChunk, chunkOffsets }: SampleTable) {
    this.uniformSize = uniformSize;
    this.sizeRows = new TableRows(bytes, sizes);
    this.chunkRows = new TableRows(bytes, chunkOffsets);
    this.wideOffsets = chunkOffsets.wide;
    this.layout = new ChunkLayout(new TableRows(bytes, sampleToChunk));
  }

  /** Fills the rows after the last one. */
  async read(into: SampleColumns, rows: number): Promise<void> {
    const end = into.count + rows;
    if (this.uniformSize > 0) into.sizes.fill(this.uniformSize, into.count, end);
    else await this.readSizes(into.sizes, into.count, end);
    for (let row = into.count; row < end;) {
      // A promise only when a table's next rows have to be loaded: finely interleaved media has a chunk for each sample, and a row for each chunk.
      if (this.samplesLeft === 0) {
        if (this.chunkRows.isEmpty) await this.loadChunks();
        while (!this.layout.advance()) await this.layout.load();
      }
      row = this.fillOffsets(into, row, end);
    }
  }

  /** Fills the samples of the chunks whose rows are in memory. @returns the row of the next sample */
  private fillOffsets({ sizes, offsets }: SampleColumns, start: number, end: number): number {
    const { chunkRows, wideOffsets, layout } = this;
    const { view } = chunkRows;
    let row = start;
    let { at } = chunkRows;
    let { next, samplesLeft, endOffset } = this;
    while (row < end) {
      if (samplesLeft === 0) {
        if (at === view.byteLength || !layout.advance()) break;
        next = wideOffsets ? view.getUint32(at) * 2 ** 32 + view.getUint32(at + 4) : view.getUint32(at);
        at += wideOffsets ? 8 : 4;
        samplesLeft = layout.take();
      }
      const chunkEnd = Math.min(end, row + samplesLeft);
      samplesLeft -= chunkEnd - row;
      for (; row < chunkEnd; row++) {
        offsets[row] = next;
        next += sizes[row]!;
      }
      if (next > endOffset) endOffset = next;
    }
    chunkRows.at = at;
    this.next = next;
    this.samplesLeft = samplesLeft;
    this.endOffset = endOffset;
    return row;
  }

  private async readSizes(sizes: Uint32Array, start: number, end: number): Promise<void> {
    for (let row = start; row < end;) {
      if (this.sizeRows.isEmpty) await this.sizeRows.load();
      row = this.fillSizes(sizes, row, end);
    }
  }

  private fillSizes(sizes: Uint32Array, start: number, end: number): number {
    const { view } = this.sizeRows;
    let { at } = this.sizeRows;
    let row = start;
    for (; row < end && at < view.byteLength; row++, at += 4) {
      const size = view.getUint32(at);
      if (size === 0) this.hasEmpty = true;
      sizes[row] = size;
    }
    this.sizeRows.at = at;
    return row;
  }

  private async loadChunks(): Promise<void> {
    standardOnlyIf(await this.chunkRows.load(), "fewer chunks than samples need");
  }
}

/** The number of samples per chunk. A row of `stsc` applies up to the first chunk of the next row. */
class ChunkLayout {
  private readonly rows: TableRows;
  /** Samples per chunk in the current row. */
  private samples = -1;
  /** The last chunk taken, from 0. */
  private chunk = -1;
  /** The first chunk of the row after the current one; Infinity after the last row, null when it has to be loaded. */
  private until: number | null = null;

  constructor(rows: TableRows) {
    this.rows = rows;
  }

  /** Moves to the row that applies to the next chunk. @returns false when rows have to be loaded first */
  advance(): boolean {
    const { rows } = this;
    this.until ??= this.firstChunkOfRow();
    while (this.until !== null && this.chunk + 1 >= this.until) {
      this.samples = rows.view.getUint32(rows.at + 4);
      rows.at += 12;
      this.until = this.firstChunkOfRow();
    }
    return this.until !== null;
  }

  async load(): Promise<void> {
    if (!(await this.rows.load())) this.until = Infinity;
  }

  /** Takes the next chunk. @returns its number of samples */
  take(): number {
    standardOnlyIf(this.samples >= 0, "the first chunk is not described");
    standardOnlyIf(this.samples > 0, "an empty chunk");
    this.chunk += 1;
    return this.samples;
  }

  private firstChunkOfRow(): number | null {
    const { rows } = this;
    return rows.isEmpty ? null : rows.view.getUint32(rows.at) - 1;
  }
}

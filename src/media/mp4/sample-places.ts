import { standardOnlyIf } from "./not-standard.ts";
import type { SampleTable } from "./sample-table.ts";
import { TableRows } from "./table-rows.ts";

/** Decodes `stsz`, `stsc` and the chunk offsets, a batch of samples at a time. */
export class PlaceReader {
  readonly sizes: Uint32Array;
  /** Positions in the file. */
  readonly offsets: Float64Array;
  private readonly uniformSize: number;
  private readonly sizeRows: TableRows;
  private readonly chunkRows: TableRows;
  private readonly wideOffsets: boolean;
  private readonly layout: ChunkLayout;
  private samplesLeft = 0;
  /** Offset of the next sample if it is in the same chunk. */
  private next = 0;

  constructor({ bytes, uniformSize, sizes, sampleToChunk, chunkOffsets }: SampleTable, batchSamples: number) {
    this.sizes = new Uint32Array(batchSamples);
    this.offsets = new Float64Array(batchSamples);
    this.uniformSize = uniformSize;
    this.sizeRows = new TableRows(bytes, sizes);
    this.chunkRows = new TableRows(bytes, chunkOffsets);
    this.wideOffsets = chunkOffsets.wide;
    this.layout = new ChunkLayout(new TableRows(bytes, sampleToChunk));
  }

  async read(count: number): Promise<void> {
    await this.readSizes(count);
    for (let row = 0; row < count;) {
      // A promise only when a table's next rows have to be loaded: finely interleaved media has a chunk for each sample, and a row for each chunk.
      if (this.samplesLeft === 0) {
        if (this.chunkRows.isEmpty) await this.loadChunks();
        while (!this.layout.advance()) await this.layout.load();
      }
      row = this.readChunks(row, count);
    }
  }

  /** Reads the samples of the chunks whose rows are in memory. @returns the row of the next sample */
  private readChunks(firstRow: number, count: number): number {
    const { sizes, offsets, chunkRows, wideOffsets, layout } = this;
    const { view } = chunkRows;
    let row = firstRow;
    let { at } = chunkRows;
    let { next, samplesLeft } = this;
    while (row < count) {
      if (samplesLeft === 0) {
        if (at === view.byteLength || !layout.advance()) break;
        next = wideOffsets ? view.getUint32(at) * 2 ** 32 + view.getUint32(at + 4) : view.getUint32(at);
        at += wideOffsets ? 8 : 4;
        samplesLeft = layout.take();
      }
      const end = Math.min(count, row + samplesLeft);
      samplesLeft -= end - row;
      for (; row < end; row++) {
        offsets[row] = next;
        next += sizes[row]!;
      }
    }
    chunkRows.at = at;
    this.next = next;
    this.samplesLeft = samplesLeft;
    return row;
  }

  private async readSizes(count: number): Promise<void> {
    if (this.uniformSize > 0) {
      this.sizes.fill(this.uniformSize, 0, count);
      return;
    }
    const { sizes, sizeRows: rows } = this;
    for (let row = 0; row < count;) {
      if (rows.isEmpty) await rows.load();
      const { view } = rows;
      let { at } = rows;
      for (; row < count && at < view.byteLength; row++, at += 4) sizes[row] = view.getUint32(at);
      rows.at = at;
    }
  }

  private async loadChunks(): Promise<void> {
    standardOnlyIf(await this.chunkRows.load(), "fewer chunks than samples need");
  }
}

/** The number of samples per chunk. A row of `stsc` applies up to the first chunk of the next row. */
class ChunkLayout {
  private readonly rows: TableRows;
  /** Of the current row. */
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

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
      // A promise only when a table's next rows have to be loaded: finely interleaved media has a chunk for each sample.
      if (this.samplesLeft === 0) {
        if (this.chunkRows.isEmpty) await this.loadChunks();
        if (!this.layout.hasNext) await this.layout.advance();
      }
      row = this.readChunks(row, count);
    }
  }

  /** Reads the samples of the chunks that one row of `stsc` describes and whose offsets are in memory. @returns the row of the next sample */
  private readChunks(firstRow: number, count: number): number {
    const { sizes, offsets, chunkRows, wideOffsets, layout } = this;
    const { view } = chunkRows;
    let [row, at, next, samplesLeft, chunks] = [firstRow, chunkRows.at, this.next, this.samplesLeft, 0];
    while (row < count) {
      if (samplesLeft === 0) {
        if (at === view.byteLength || chunks === layout.chunksLeft) break;
        next = wideOffsets ? view.getUint32(at) * 2 ** 32 + view.getUint32(at + 4) : view.getUint32(at);
        at += wideOffsets ? 8 : 4;
        chunks += 1;
        samplesLeft = layout.samplesPerChunk;
      }
      const end = Math.min(count, row + samplesLeft);
      samplesLeft -= end - row;
      for (; row < end; row++) {
        offsets[row] = next;
        next += sizes[row]!;
      }
    }
    chunkRows.at = at;
    layout.take(chunks);
    [this.next, this.samplesLeft] = [next, samplesLeft];
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
  private samples = -1;
  private chunk = -1;
  private until: number | null = null;

  constructor(rows: TableRows) {
    this.rows = rows;
  }

  /** Whether the current row applies to the next chunk. */
  get hasNext(): boolean {
    return this.until !== null && this.chunksLeft > 0;
  }

  /** Number of chunks to which the current row still applies. */
  get chunksLeft(): number {
    return this.until! - this.chunk - 1;
  }

  /** Of the current row. */
  get samplesPerChunk(): number {
    standardOnlyIf(this.samples >= 0, "the first chunk is not described");
    standardOnlyIf(this.samples > 0, "an empty chunk");
    return this.samples;
  }

  take(chunks: number): void {
    this.chunk += chunks;
  }

  /** Moves to the row that applies to the next chunk. */
  async advance(): Promise<void> {
    const { rows } = this;
    this.until ??= await this.firstChunkOfRow();
    while (!this.hasNext) {
      this.samples = rows.view.getUint32(rows.at + 4);
      rows.at += 12;
      this.until = rows.isEmpty ? await this.firstChunkOfRow() : rows.view.getUint32(rows.at) - 1;
    }
  }

  /** Infinity after the last row. */
  private async firstChunkOfRow(): Promise<number> {
    const { rows } = this;
    if (rows.isEmpty && !(await rows.load())) return Infinity;
    return rows.view.getUint32(rows.at) - 1;
  }
}

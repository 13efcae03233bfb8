import type { RangeReader } from "./range-reader.ts";
import { standardOnlyIf } from "./not-standard.ts";

/** An index up to this size is parsed in memory; a larger one is read in pieces. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;
/** Number of windows per large index. Each table being read has one window in memory. */
export const WINDOWS_PER_INDEX = 96;
/** Divisible by all table row sizes (4, 8 and 12 bytes). */
const WINDOW_UNIT_BYTES = 24;
/** Box headers and small boxes are read in blocks of this size; a few blocks are cached. */
export const MAX_PIECE_BYTES = 64 * 1024;
const MAX_BLOCKS = 4;
/** A Worker may make 1,000 subrequests per invocation; each redirect counts as one. */
export const MAX_READS = 400;

/** The content of a `moov` box. Positions are byte offsets from its start. */
export interface IndexBytes {
  readonly length: number;
  /** A short range, up to `MAX_PIECE_BYTES`. @throws {RangeError} outside of the index */
  piece(at: number, length: number): DataView | Promise<DataView>;
  /** The rows of a table between two positions, as many as fit one window. May reuse the memory of `previous`. */
  rows(at: number, end: number, previous: DataView | null): DataView | Promise<DataView>;
}

/** Memory limits of parsing an index. Tests choose less than the defaults. */
export interface IndexMemory {
  maxBufferedBytes?: number;
  /** A multiple of 24; by default a 96th of the index. */
  windowBytes?: number;
}

export const isBuffered = (bytes: number, { maxBufferedBytes = MAX_BUFFERED_BYTES }: IndexMemory) =>
  bytes <= maxBufferedBytes;

export function bufferedIndex(content: DataView): IndexBytes {
  const range = (at: number, length: number) => new DataView(content.buffer, content.byteOffset + at, length);
  return {
    length: content.byteLength,
    piece(at, length) {
      if (at + length > content.byteLength) throw new RangeError("outside of the index");
      return range(at, length);
    },
    rows: (at, end) => range(at, end - at),
  };
}

/**
 * An index that stays in the source. Its reads bypass the reader's cache, because no byte is read twice.
 *
 * @param start byte offset of the index in the source
 */
export function rangedIndex(reader: RangeReader, start: number, length: number, memory: IndexMemory): IndexBytes {
  const { windowBytes = Math.ceil(length / WINDOWS_PER_INDEX / WINDOW_UNIT_BYTES) * WINDOW_UNIT_BYTES } = memory;
  const blocks: { at: number; view: DataView }[] = [];
  let reads = 0;

  const read = async (at: number, target: Uint8Array<ArrayBuffer>) => {
    standardOnlyIf(++reads <= MAX_READS, "the index is scattered over too many places");
    const filled = await readInto(reader, start + at, target);
    standardOnlyIf(filled === target.length, "the file ends inside of its index");
    return new DataView(target.buffer, target.byteOffset, target.length);
  };
  const readBlock = async (at: number, pieceBytes: number) => {
    const view = await read(at, new Uint8Array(Math.min(MAX_PIECE_BYTES, length - at)));
    if (blocks.unshift({ at, view }) > MAX_BLOCKS) blocks.pop();
    return new DataView(view.buffer, 0, pieceBytes);
  };
  const piece = (at: number, pieceBytes: number) => {
    if (at + pieceBytes > length || pieceBytes > MAX_PIECE_BYTES) throw new RangeError("outside of the index");
    const block = blocks.find((one) => one.at <= at && at + pieceBytes <= one.at + one.view.byteLength);
    return block ? new DataView(block.view.buffer, at - block.at, pieceBytes) : readBlock(at, pieceBytes);
  };
  return {
    length,
    piece,
    rows(at, end, previous) {
      const bytes = Math.min(end - at, windowBytes);
      if (end - at === bytes && bytes <= MAX_PIECE_BYTES) return piece(at, bytes);
      // A table's first window is its largest, so each window fits the memory of the one before it.
      return read(
        at,
        previous === null ? new Uint8Array(bytes) : new Uint8Array(previous.buffer as ArrayBuffer, 0, bytes),
      );
    },
  };
}

/** Reads into the caller's memory, without a second copy where the reader supports that. Returns the number of bytes read. */
export async function readInto(reader: RangeReader, offset: number, target: Uint8Array): Promise<number> {
  if (reader.readInto !== undefined) return await reader.readInto(offset, target);
  const bytes = await reader.read(offset, target.length);
  target.set(bytes);
  return bytes.length;
}

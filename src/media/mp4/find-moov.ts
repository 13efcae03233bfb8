import type { RangeReader } from "./range-reader.ts";
import { boxHeader } from "./boxes.ts";
import {
  bufferedIndex,
  type IndexBytes,
  type IndexMemory,
  isBuffered,
  MAX_PIECE_BYTES,
  rangedIndex,
  readInto,
} from "./index-bytes.ts";
import { standardOnlyIf } from "./not-standard.ts";

/** The first read shows whether the index is at the start, and contains all of a short source's index. */
const HEAD_BYTES = 256 * 1024;
/** 12 h of 60 video frames and 94 audio frames per second need about 50 MB. */
export const MAX_MOOV_BYTES = 56 * 1024 * 1024;
/** A file with more top-level boxes is fragmented or hostile, and is not read any further. */
const MAX_READS = 6;

export interface FoundMoov {
  /** The content of the `moov` box. */
  moov: IndexBytes;
  /** The first bytes of the file. */
  head: Uint8Array;
  /** `ftyp`'s major brand, "qt  " for QuickTime; "" without an `ftyp`. */
  brand: string;
}

/**
 * Finds the index of an MP4 or MOV file. It takes one read when the whole index is in the first bytes, two when it is longer or at the end
 * of the file, and more only when other boxes precede it. A large index stays in the source.
 *
 * @throws {NotStandard} no `moov`, a fragmented file, or one beyond `MAX_MOOV_BYTES`; errors of the reader pass through
 */
export async function findMoov(reader: RangeReader, memory: IndexMemory): Promise<FoundMoov> {
  let windowStart = 0;
  const head = await reader.read(0, Math.max(HEAD_BYTES, reader.fetchedBytes ?? 0));
  let bytes = head;
  let view = viewOf(bytes);
  let at = 0;
  let brand = "";
  standardOnlyIf(bytes.length >= 16 && isTopLevelType(boxHeader(view, 0).type), "not an MP4 or MOV file");

  for (let reads = 1; ;) {
    if (at + 16 > windowStart + bytes.length) {
      standardOnlyIf(reader.size === null || at + 16 <= reader.size, "the file has no index");
      standardOnlyIf(reads++ < MAX_READS, "the index was not found within a few reads");
      windowStart = at;
      bytes = await readTail(reader, at, memory);
      view = viewOf(bytes);
      standardOnlyIf(bytes.length >= 16, "the file has no index");
    }
    const here = at - windowStart;
    const { type, size, headerBytes } = boxHeader(view, here);
    standardOnlyIf(size >= headerBytes && isTopLevelType(type), "the file's structure is damaged or it has no index");
    if (type === "ftyp" && here + 12 <= bytes.length)
      brand = String.fromCharCode(...bytes.subarray(here + 8, here + 12));
    standardOnlyIf(type !== "moof" && type !== "sidx", "the file is fragmented");
    if (type === "moov") {
      standardOnlyIf(size <= MAX_MOOV_BYTES, `the index is larger than ${MAX_MOOV_BYTES} bytes`);
      standardOnlyIf(reader.size === null || at + size <= reader.size, "the file ends inside of its index");
      const contentBytes = size - headerBytes;
      if (!isBuffered(size, memory))
        return { moov: rangedIndex(reader, at + headerBytes, contentBytes, memory), brand, head };
      const whole = await withRest(reader, bytes.subarray(here), at, size);
      const moov = bufferedIndex(new DataView(whole.buffer, whole.byteOffset + headerBytes, contentBytes));
      return { moov, brand, head };
    }
    at += size;
  }
}

/** The bytes of a box whose first bytes have already been read. */
async function withRest(reader: RangeReader, have: Uint8Array, at: number, size: number): Promise<Uint8Array> {
  if (have.length >= size) return have.subarray(0, size);
  const whole = new Uint8Array(size);
  whole.set(have);
  const filled = await readInto(reader, at + have.length, whole.subarray(have.length));
  standardOnlyIf(filled === size - have.length, "the file ends inside of its index");
  return whole;
}

/** Usually only the index follows the media data, so the rest of the file is read at once unless it is large. */
async function readTail(reader: RangeReader, at: number, memory: IndexMemory): Promise<Uint8Array> {
  if (reader.size === null) return await reader.read(at, HEAD_BYTES);
  if (isBuffered(reader.size - at, memory)) return await reader.read(at, reader.size - at);
  const start = new Uint8Array(Math.min(MAX_PIECE_BYTES, reader.size - at));
  return start.subarray(0, await readInto(reader, at, start));
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const TOP_LEVEL = new Set("ftyp moov mdat free skip wide pnot uuid udta meta moof sidx styp pdin mfra prfl".split(" "));
const isTopLevelType = (type: string) => TOP_LEVEL.has(type);

import { type Box, findBox, requireBox } from "./boxes.ts";
import type { IndexBytes } from "./index-bytes.ts";
import { standardOnlyIf } from "./not-standard.ts";
import type { Table } from "./table-rows.ts";

/** 12 h at 120 frames per second; also bounds the sample count of tables without one entry per sample. */
const MAX_SAMPLES = 5_200_000;

/**
 * The sample tables of one track (ISO/IEC 14496-12 §8.6, §8.7), checked to lie within their boxes. Tables are not expanded: a
 * `SampleReader` reads them from `bytes`, a batch of samples at a time.
 */
export interface SampleTable {
  bytes: IndexBytes;
  sampleCount: number;
  /** The size of every sample in bytes; 0 = sizes differ and are in `sizes`. */
  uniformSize: number;
  sizes: Table;
  timeToSample: Table;
  compositionOffsets: Table | null;
  sampleToChunk: Table;
  chunkOffsets: Table & { wide: boolean };
  /** Numbers of the key frames, from 1; null = every sample is a key frame. */
  syncSamples: Table | null;
}

/** @throws {NotStandard} when a table is missing, implausible or longer than its box */
export async function readSampleTable(bytes: IndexBytes, stbl: Box[]): Promise<SampleTable> {
  const sizeBox = requireBox(stbl, "stsz");
  const sizeHead = await bytes.piece(sizeBox.start, 12);
  const uniformSize = sizeHead.getUint32(4);
  const sampleCount = sizeHead.getUint32(8);
  const sizesAt = sizeBox.start + 12;
  const sizes = { at: sizesAt, end: sizesAt + (uniformSize > 0 ? 0 : sampleCount * 4) };
  standardOnlyIf(sampleCount > 0, "a track without samples");
  standardOnlyIf(sampleCount <= MAX_SAMPLES, "a track with too many samples");
  standardOnlyIf(sizes.end <= sizeBox.end || uniformSize > 0, "the 'stsz' table is cut off");

  const wideOffsets = findBox(stbl, "co64");
  const composition = findBox(stbl, "ctts");
  const sync = findBox(stbl, "stss");
  return {
    bytes,
    sampleCount,
    uniformSize,
    sizes,
    timeToSample: await readTable(bytes, requireBox(stbl, "stts"), 8),
    compositionOffsets: composition ? await readTable(bytes, composition, 8) : null,
    sampleToChunk: await readTable(bytes, requireBox(stbl, "stsc"), 12),
    chunkOffsets: {
      ...(await readTable(bytes, wideOffsets ?? requireBox(stbl, "stco"), wideOffsets ? 8 : 4)),
      wide: wideOffsets !== undefined,
    },
    syncSamples: sync ? await readTable(bytes, sync, 4) : null,
  };
}

async function readTable(bytes: IndexBytes, box: Box, rowBytes: number): Promise<Table> {
  const count = (await bytes.piece(box.start, 8)).getUint32(4);
  const at = box.start + 8;
  standardOnlyIf(count > 0 || rowBytes !== 12, "an empty 'stsc' table");
  standardOnlyIf(at + count * rowBytes <= box.end, "a sample table is cut off");
  return { at, end: at + count * rowBytes };
}

/** Upper bound of the number of key frames. */
export const keyCount = ({ sampleCount, syncSamples }: SampleTable): number =>
  syncSamples === null ? sampleCount : Math.min(sampleCount, (syncSamples.end - syncSamples.at) / 4);

import { type Box, findBox, requireBox } from "./boxes.ts";
import { standardOnlyIf } from "./not-standard.ts";

/** 12 h of 120 pictures a second; also the most a table without an entry per sample may claim. */
const MAX_SAMPLES = 5_200_000;

/** One table of a track: `count` entries that start at `at`. */
interface Table {
  at: number;
  count: number;
}

/**
 * The sample tables of one track (ISO/IEC 14496-12 §8.6, §8.7), checked to lie inside of their boxes. Nothing is
 * expanded: samples are walked with a `SampleCursor`, so memory stays that of the index itself.
 */
export interface SampleTable {
  view: DataView;
  sampleCount: number;
  /** Bytes of every sample; 0 = each has its own in `sizes`. */
  uniformSize: number;
  sizes: number;
  timeToSample: Table;
  compositionOffsets: Table | null;
  sampleToChunk: Table;
  chunkOffsets: Table & { wide: boolean };
  /** Numbers of the key frames, from 1; null = every sample is one. */
  syncSamples: Table | null;
}

/** @throws {NotStandard} when a table is missing, absurd or longer than its box */
export function readSampleTable(view: DataView, stbl: Box[]): SampleTable {
  const sizeBox = requireBox(stbl, "stsz");
  const uniformSize = view.getUint32(sizeBox.start + 4);
  const sampleCount = view.getUint32(sizeBox.start + 8);
  standardOnlyIf(sampleCount > 0, "a track without samples");
  standardOnlyIf(sampleCount <= MAX_SAMPLES, "a track with too many samples");
  standardOnlyIf(uniformSize > 0 || sizeBox.start + 12 + sampleCount * 4 <= sizeBox.end, "the 'stsz' table is cut off");

  const wideOffsets = findBox(stbl, "co64");
  const composition = findBox(stbl, "ctts");
  const sync = findBox(stbl, "stss");
  return {
    view,
    sampleCount,
    uniformSize,
    sizes: sizeBox.start + 12,
    timeToSample: table(view, requireBox(stbl, "stts"), 8),
    compositionOffsets: composition ? table(view, composition, 8) : null,
    sampleToChunk: table(view, requireBox(stbl, "stsc"), 12),
    chunkOffsets: {
      ...table(view, wideOffsets ?? requireBox(stbl, "stco"), wideOffsets ? 8 : 4),
      wide: wideOffsets !== undefined,
    },
    syncSamples: sync ? table(view, sync, 4) : null,
  };
}

function table(view: DataView, box: Box, entryBytes: number): Table {
  const count = view.getUint32(box.start + 4);
  const at = box.start + 8;
  standardOnlyIf(count > 0 || entryBytes !== 12, "an empty 'stsc' table");
  standardOnlyIf(at + count * entryBytes <= box.end, "a sample table is cut off");
  return { at, count };
}

/** Walks the samples of a track in decoding order. After `next()` its fields describe the sample it stands on. */
export class SampleCursor {
  /** From 0. */
  index = -1;
  /** Decoding time and duration in ticks of the track, before any edit list. */
  decodeTicks = 0;
  durationTicks = 0;
  compositionOffsetTicks = 0;
  isKey = false;
  size = 0;
  /** Where the sample lies in the file. */
  offset = 0;

  private readonly table: SampleTable;
  private sttsEntry = -1;
  private sttsLeft = 0;
  private cttsEntry = -1;
  private cttsLeft = 0;
  private stscEntry = -1;
  private stscSamples = 0;
  /** The chunk with which the next entry begins. */
  private stscUntil: number;
  private chunk = -1;
  private chunkLeft = 0;
  private stssEntry = 0;

  constructor(table: SampleTable) {
    this.table = table;
    this.stscUntil = table.view.getUint32(table.sampleToChunk.at) - 1;
  }

  /** @throws {NotStandard} when the tables tell of fewer samples than there are sizes */
  next(): boolean {
    if (!this.nextTime()) return false;
    this.nextPlace();
    return true;
  }

  /** Like `next`, but leaves `size` and `offset` alone, which cost the most; a walk takes the one or the other. */
  nextTime(): boolean {
    const { table } = this;
    if (this.index + 1 >= table.sampleCount) return false;
    this.index += 1;
    this.decodeTicks += this.durationTicks;
    this.nextDuration();
    if (table.compositionOffsets) this.nextComposition(table.compositionOffsets);
    if (table.syncSamples) this.nextSync(table.syncSamples);
    else this.isKey = true;
    return true;
  }

  private nextDuration() {
    const { view, timeToSample } = this.table;
    while (this.sttsLeft === 0) {
      this.sttsEntry += 1;
      standardOnlyIf(this.sttsEntry < timeToSample.count, "fewer times than samples");
      this.sttsLeft = view.getUint32(timeToSample.at + this.sttsEntry * 8);
      this.durationTicks = view.getUint32(timeToSample.at + this.sttsEntry * 8 + 4);
    }
    this.sttsLeft -= 1;
  }

  private nextComposition(table: Table) {
    while (this.cttsLeft === 0) {
      this.cttsEntry += 1;
      standardOnlyIf(this.cttsEntry < table.count, "fewer composition offsets than samples");
      this.cttsLeft = this.table.view.getUint32(table.at + this.cttsEntry * 8);
      // Read as signed in version 0 too: writers put negative offsets there, and none so large is real.
      this.compositionOffsetTicks = this.table.view.getInt32(table.at + this.cttsEntry * 8 + 4);
    }
    this.cttsLeft -= 1;
  }

  private nextSync(table: Table) {
    const number = this.index + 1;
    while (this.stssEntry < table.count && this.table.view.getUint32(table.at + this.stssEntry * 4) < number)
      this.stssEntry += 1;
    this.isKey = this.stssEntry < table.count && this.table.view.getUint32(table.at + this.stssEntry * 4) === number;
  }

  private nextPlace() {
    const { view, chunkOffsets, uniformSize, sizes } = this.table;
    if (this.chunkLeft === 0) {
      this.chunk += 1;
      standardOnlyIf(this.chunk < chunkOffsets.count, "fewer chunks than samples need");
      this.chunkLeft = this.samplesInChunk();
      const at = chunkOffsets.at + this.chunk * (chunkOffsets.wide ? 8 : 4);
      this.offset = chunkOffsets.wide ? view.getUint32(at) * 2 ** 32 + view.getUint32(at + 4) : view.getUint32(at);
    } else {
      this.offset += this.size;
    }
    this.chunkLeft -= 1;
    this.size = uniformSize > 0 ? uniformSize : view.getUint32(sizes + this.index * 4);
  }

  private samplesInChunk(): number {
    const { view, sampleToChunk } = this.table;
    while (this.chunk >= this.stscUntil) {
      this.stscEntry += 1;
      const at = sampleToChunk.at + this.stscEntry * 12;
      this.stscSamples = view.getUint32(at + 4);
      this.stscUntil = this.stscEntry + 1 < sampleToChunk.count ? view.getUint32(at + 12) - 1 : Infinity;
    }
    standardOnlyIf(this.stscEntry >= 0, "the first chunk is not described");
    standardOnlyIf(this.stscSamples > 0, "an empty chunk");
    return this.stscSamples;
  }
}

import type { RangeReader } from "./range-reader.ts";
import { ByteWriter } from "./byte-writer.ts";
import { type FragmentMeasure, measureFragment, SampleColumns, writeFragmentHeader } from "./fragment.ts";
import { standardOnlyIf } from "./not-standard.ts";
import { readSampleRecord, writeSampleRecord } from "./sample-record.ts";

/**
 * The index of a passthrough rendition: its segments without their media data.
 *
 *   header   16 bytes: magic, number of segments, bytes of the init segment, 0
 *   init     the init segment
 *   entries  12 bytes per segment: offset of its record, size of the record, size of the segment
 *   records  the samples of each segment (sample-record.ts), from which its `moof` is written on request
 *
 * Header and entries are big-endian. Records are independent of each other, so any segment costs one read.
 */
const MAGIC = 0x534c5032; // "SLP2"
const HEADER_BYTES = 16;
const ENTRY_BYTES = 12;
/** A piece is complete at this size; its last record may exceed it slightly. */
const FULL_PIECE_BYTES = 256 * 1024;
const LAST_RECORD_BYTES = 16 * 1024;
/** 12 s at 64 Mbit/s. A source above this is not streamable as it is, and is only encoded. */
const MAX_SEGMENT_BYTES = 96 * 1024 * 1024;

export class IndexWriter {
  /** Bytes of every segment so far. */
  readonly segmentBytes: number[] = [];
  private readonly init: Uint8Array;
  private readonly entries = new ByteWriter(16 * 1024);
  /** In pieces, because growing a single buffer would need its memory twice. */
  private readonly fullRecords: Uint8Array<ArrayBuffer>[] = [];
  private readonly records = new ByteWriter(FULL_PIECE_BYTES + LAST_RECORD_BYTES);
  private recordBytes = 0;

  constructor(init: Uint8Array) {
    this.init = init;
  }

  addSegment(decodeTicks: number, samples: SampleColumns): FragmentMeasure {
    const measure = measureFragment(samples);
    const { headerBytes, mediaBytes } = measure;
    standardOnlyIf(mediaBytes <= MAX_SEGMENT_BYTES, "a bit rate too high to stream");
    const before = this.records.length;
    writeSampleRecord(this.records, decodeTicks, samples);
    const recordBytes = this.records.length - before;
    this.entries.u32(this.recordBytes);
    this.entries.u32(recordBytes);
    this.entries.u32(headerBytes + mediaBytes);
    this.recordBytes += recordBytes;
    this.segmentBytes.push(headerBytes + mediaBytes);
    if (this.records.length >= FULL_PIECE_BYTES) {
      this.fullRecords.push(this.records.written().slice());
      this.records.length = 0;
    }
    return measure;
  }

  /** The written pieces of the index. */
  finish(): Uint8Array<ArrayBuffer>[] {
    const out = new ByteWriter(HEADER_BYTES + this.init.length + this.entries.length);
    out.u32(MAGIC);
    out.u32(this.segmentBytes.length);
    out.u32(this.init.length);
    out.u32(0);
    out.raw(this.init);
    out.raw(this.entries.written());
    return [out.written(), ...this.fullRecords, this.records.written()];
  }
}

/** Consecutive bytes of the source. */
export interface ByteRange {
  offset: number;
  length: number;
}

/** One init or media segment: its first bytes, and the positions of the rest in the source. */
export interface SegmentPlan {
  head: Uint8Array;
  ranges: ByteRange[];
  bytes: number;
}

/** The first read contains the entries of a three-hour source. */
const OPENING_BYTES = 48 * 1024;

/** An index with its first bytes in memory. */
export interface OpenIndex {
  segmentCount: number;
  opening: Uint8Array;
  initBytes: number;
}

/** Takes one read. @returns null when the object is not an index */
export async function openIndex(index: RangeReader): Promise<OpenIndex | null> {
  const opening = await index.read(0, OPENING_BYTES);
  if (opening.length < HEADER_BYTES) return null;
  const view = new DataView(opening.buffer, opening.byteOffset, opening.byteLength);
  if (view.getUint32(0) !== MAGIC) return null;
  return { segmentCount: view.getUint32(4), opening, initBytes: view.getUint32(8) };
}

export const planInit = ({ opening, initBytes }: OpenIndex): SegmentPlan => ({
  head: opening.subarray(HEADER_BYTES, HEADER_BYTES + initBytes),
  ranges: [],
  bytes: initBytes,
});

/** Takes one read, two after the first three hours, none when the first read contained the record. @returns null for no such segment */
export async function planSegment(index: RangeReader, open: OpenIndex, segment: number): Promise<SegmentPlan | null> {
  if (!Number.isInteger(segment) || segment < 0 || segment >= open.segmentCount) return null;
  const entriesAt = HEADER_BYTES + open.initBytes;
  const entry = await slice(index, open, entriesAt + segment * ENTRY_BYTES, ENTRY_BYTES);
  const recordsAt = entriesAt + open.segmentCount * ENTRY_BYTES;
  const record = await slice(index, open, recordsAt + entry.getUint32(0), entry.getUint32(4));
  const samples = new SampleColumns();
  const { decodeTicks } = readSampleRecord(
    new Uint8Array(record.buffer, record.byteOffset, record.byteLength),
    samples,
  );
  const head = new ByteWriter();
  writeFragmentHeader(head, segment + 1, decodeTicks, samples);
  return { head: head.written(), ranges: rangesOf(samples), bytes: entry.getUint32(8) };
}

function rangesOf({ count, offsets, sizes }: SampleColumns): ByteRange[] {
  const ranges: ByteRange[] = [];
  for (let row = 0; row < count;) {
    const offset = offsets[row]!;
    let length = 0;
    for (; row < count && offsets[row] === offset + length; row++) length += sizes[row]!;
    ranges.push({ offset, length });
  }
  return ranges;
}

async function slice(index: RangeReader, open: OpenIndex, from: number, length: number): Promise<DataView> {
  const bytes =
    from + length <= open.opening.length ? open.opening.subarray(from, from + length) : await index.read(from, length);
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

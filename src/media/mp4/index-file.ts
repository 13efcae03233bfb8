import type { RangeReader } from "./range-reader.ts";
import { ByteWriter } from "./byte-writer.ts";
import { measureFragment, SampleColumns, writeFragmentHeader } from "./fragment.ts";
import { standardOnlyIf } from "./not-standard.ts";
import { readSampleRecord, writeSampleRecord } from "./sample-record.ts";

/**
 * The index of a passthrough rendition: everything of its segments but the media data.
 *
 *   header   16 bytes: magic, number of segments, bytes of the init segment, 0
 *   init     the init segment
 *   entries  12 bytes for each segment: where its record starts, bytes of the record, bytes of the segment
 *   records  for each segment its samples (sample-record.ts), from which its `moof` is written when it is asked for
 *
 * Numbers of header and entries are big-endian. A record stands for itself, so any segment costs one read.
 */
const MAGIC = 0x534c5032; // "SLP2"
const HEADER_BYTES = 16;
const ENTRY_BYTES = 12;
/** A piece is full from here on; its last record may take a little more. */
const FULL_PIECE_BYTES = 256 * 1024;
const LAST_RECORD_BYTES = 16 * 1024;
/** 12 s of 64 Mbit/s: what is above is not for streaming, and the ladder will serve it. */
const MAX_SEGMENT_BYTES = 96 * 1024 * 1024;

export class IndexWriter {
  /** Bytes of every segment so far. */
  readonly segmentBytes: number[] = [];
  private readonly init: Uint8Array;
  private readonly entries = new ByteWriter(16 * 1024);
  /** In pieces: one buffer that grows would be there twice while it does. */
  private readonly fullRecords: Uint8Array<ArrayBuffer>[] = [];
  private readonly records = new ByteWriter(FULL_PIECE_BYTES + LAST_RECORD_BYTES);
  private recordBytes = 0;

  constructor(init: Uint8Array) {
    this.init = init;
  }

  addSegment(decodeTicks: number, samples: SampleColumns) {
    const { headerBytes, mediaBytes } = measureFragment(samples);
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
  }

  /** The index, in the pieces in which it was written. */
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

/** A stretch of the source. */
export interface Run {
  offset: number;
  length: number;
}

/** One init or media segment: its first bytes, and where in the source the others lie. */
export interface SegmentPlan {
  head: Uint8Array;
  runs: Run[];
  bytes: number;
}

/** The entries of a three hour source come with the first read. */
const OPENING_BYTES = 48 * 1024;

/** An index with its first bytes in memory. */
export interface OpenIndex {
  segmentCount: number;
  opening: Uint8Array;
  initBytes: number;
}

/** One read. Null when this is no index. */
export async function openIndex(index: RangeReader): Promise<OpenIndex | null> {
  const opening = await index.read(0, OPENING_BYTES);
  if (opening.length < HEADER_BYTES) return null;
  const view = new DataView(opening.buffer, opening.byteOffset, opening.byteLength);
  if (view.getUint32(0) !== MAGIC) return null;
  return { segmentCount: view.getUint32(4), opening, initBytes: view.getUint32(8) };
}

export const planInit = ({ opening, initBytes }: OpenIndex): SegmentPlan => ({
  head: opening.subarray(HEADER_BYTES, HEADER_BYTES + initBytes),
  runs: [],
  bytes: initBytes,
});

/** One read, two beyond the first three hours; none when the record came with the opening. Null: no such segment. */
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
  return { head: head.written(), runs: runsOf(samples), bytes: entry.getUint32(8) };
}

function runsOf({ count, offsets, sizes }: SampleColumns): Run[] {
  const runs: Run[] = [];
  for (let row = 0; row < count;) {
    const offset = offsets[row]!;
    let length = 0;
    for (; row < count && offsets[row] === offset + length; row++) length += sizes[row]!;
    runs.push({ offset, length });
  }
  return runs;
}

async function slice(index: RangeReader, open: OpenIndex, from: number, length: number): Promise<DataView> {
  const bytes =
    from + length <= open.opening.length ? open.opening.subarray(from, from + length) : await index.read(from, length);
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

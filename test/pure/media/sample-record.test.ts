import { expect, test } from "vitest";
import { ByteWriter } from "../../../src/media/mp4/byte-writer.ts";
import { measureFragment, SampleColumns, writeFragmentHeader } from "../../../src/media/mp4/fragment.ts";
import { readSampleRecord, writeSampleRecord } from "../../../src/media/mp4/sample-record.ts";

type Sample = Parameters<SampleColumns["add"]>[0];

const GIB = 2 ** 30;
const FRAME: Sample = { size: 900, duration: 512, compositionOffset: 0, isKey: true, offset: 0 };

/** Rows that are adjacent unless they have an offset. */
function columns(rows: Partial<Sample>[]): SampleColumns {
  const samples = new SampleColumns();
  let end = 48;
  for (const row of rows) {
    const sample = { ...FRAME, offset: end, ...row };
    samples.add(sample);
    end = sample.offset + sample.size;
  }
  return samples;
}

const rowsOf = (samples: SampleColumns) =>
  Array.from({ length: samples.count }, (_, row) => [
    samples.sizes[row],
    samples.durations[row],
    samples.compositionOffsets[row],
    samples.isKey[row],
    samples.offsets[row],
  ]);

const CASES: Record<string, Partial<Sample>[]> = {
  "sound in one piece": Array.from({ length: 700 }, () => ({})),
  "a group of pictures": [{}, { isKey: false, compositionOffset: 1024 }, { isKey: false, compositionOffset: -512 }],
  "several key frames": [{}, { isKey: false }, {}, { isKey: false }, { isKey: false }, {}],
  "no key frame first": [{ isKey: false }, {}],
  "varying durations": [{ duration: 1 }, { duration: 2 ** 31 }, { duration: 0 }],
  "a file of 100 GiB, not in order": [{ offset: 100 * GIB }, { offset: 3 }, { offset: 5 * GIB - 1 }, {}],
  "samples at the start of the file": [{ offset: 0, size: 1 }, { size: 2 ** 27 - 1 }],
};

test.each(Object.entries(CASES))("%s: a record restores every sample", (_, rows) => {
  const samples = columns(rows);
  const out = new ByteWriter(1);
  writeSampleRecord(out, 2 ** 40 + 5, samples);
  const read = new SampleColumns();
  read.add(FRAME); // what was there before is gone
  expect(readSampleRecord(out.written(), read)).toEqual({ decodeTicks: 2 ** 40 + 5 });
  expect(rowsOf(read)).toEqual(rowsOf(samples));
});

test.each(Object.entries(CASES))("%s: the fragment's header has the measured length", (_, rows) => {
  const samples = columns(rows);
  const out = new ByteWriter();
  const written = writeFragmentHeader(out, 1, 0, samples);
  expect(measureFragment(samples).headerBytes).toBe(written);
  expect(out.length).toBe(written);
});

test("a truncated record is an error, never fewer samples", () => {
  const out = new ByteWriter();
  writeSampleRecord(out, 0, columns(CASES["a group of pictures"]!));
  for (let length = 0; length < out.length; length++) {
    expect(() => readSampleRecord(out.written().subarray(0, length), new SampleColumns())).toThrow(RangeError);
  }
});

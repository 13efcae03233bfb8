import { expect, test } from "vitest";
import { AvcSubsamples } from "../../../../src/media/cenc/subsamples.ts";

/** Without parameter sets, so that no slice header can be read. */
const avc = () => new AvcSubsamples(Uint8Array.of(1, 100, 0, 31, 0xff, 0xe0, 0));
const unit = (type: number, bytes: number) => {
  const out = Buffer.alloc(4 + bytes, 7);
  out.writeUInt32BE(bytes);
  out[4] = type;
  return out;
};
const of = (...units: Buffer[]) =>
  avc()
    .of(Buffer.concat(units))
    .map(({ clearBytes, protectedBytes }) => [clearBytes, protectedBytes]);
const sum = (list: number[][]) => list.flat().reduce((total, one) => total + one, 0);
const [SEI, PICTURE_SET, SLICE, IDR, FILLER] = [6, 8, 1, 5, 12];

test("a slice whose header cannot be read is protected from its second byte", () => {
  expect(of(unit(IDR, 1000))).toEqual([[5, 999]]);
});

test("units that are no slices stay clear, joined with the beginning of the next slice", () => {
  expect(of(unit(PICTURE_SET, 20), unit(SEI, 30), unit(SLICE, 100), unit(FILLER, 9))).toEqual([
    [24 + 34 + 5, 99],
    [13, 0],
  ]);
});

test.each([2, 3, 4, 19, 20, 21])("coded data of type %i is protected too", (type) => {
  expect(of(unit(type, 50))).toEqual([[5, 49]]);
});

test("a clear run longer than its field is split", () => {
  expect(of(unit(SEI, 140_000), unit(SLICE, 100))).toEqual([
    [65_535, 0],
    [65_535, 0],
    [140_004 - 131_070 + 5, 99],
  ]);
});

test("a sample with more slices than its entry has room for is protected to its end", () => {
  const found = of(...Array.from({ length: 60 }, () => unit(SLICE, 40)));
  expect(found).toHaveLength(42);
  expect(found.slice(0, 41)).toEqual(Array.from({ length: 41 }, () => [5, 39]));
  expect(found[41]).toEqual([5, 39 + 18 * 44]);
});

test.each([
  ["longer than the sample", Buffer.from([0, 0, 1, 0, 0x65, 1, 2, 3])],
  ["of length 0", Buffer.concat([Buffer.alloc(4), unit(SLICE, 40)])],
  ["cut off in its length", Buffer.from([0, 0, 0])],
])("a unit %s leaves nothing clear that follows", (_what, bytes) => {
  expect(of(bytes)).toEqual([[0, bytes.length]]);
});

test("runs cover every byte of a sample exactly", () => {
  for (const size of [1, 15, 16, 17, 159, 4096]) {
    const bytes = Buffer.concat([unit(SEI, size), unit(SLICE, size), unit(IDR, size)]);
    expect(sum(of(bytes))).toBe(bytes.length);
  }
});

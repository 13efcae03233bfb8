import * as fc from "fast-check";
import { expect, test } from "vitest";
import { placePieces, rangesOf } from "../../../../src/library/sources/piece-list.ts";

test("the ranges of any part of a file are its bytes, in order and without gaps", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 });
  const place = fc.record({ offset: fc.nat(200), length: fc.nat(200) });
  fc.assert(
    fc.property(sizes, place, (lengths, { offset, length }) => {
      const file = lengths.flatMap((bytes, piece) => Array.from({ length: bytes }, (_, at) => `${piece}:${at}`));
      const placed = placePieces(lengths.map((bytes, piece) => [piece, bytes]));
      expect(placed.size).toBe(file.length);
      const read = rangesOf(placed, offset, length).flatMap((range) =>
        Array.from({ length: range.length }, (_, at) => `${range.piece}:${range.offset + at}`),
      );
      expect(read).toEqual(file.slice(offset, offset + length));
    }),
    { numRuns: 500, seed: 12 },
  );
});

test("a file without pieces has no bytes", () => {
  expect(rangesOf(placePieces([]), 0, 10)).toEqual([]);
});

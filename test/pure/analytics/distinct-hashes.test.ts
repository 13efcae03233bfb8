import * as fc from "fast-check";
import { expect, test } from "vitest";
import { DistinctHashes } from "../../../src/analytics/store/distinct-hashes.ts";

test("each hash counts once, for any number and distribution of hashes", () => {
  const hash = fc.oneof(fc.integer({ min: 0, max: 50 }), fc.maxSafeNat());
  fc.assert(
    fc.property(fc.array(fc.array(hash, { maxLength: 3000 }), { maxLength: 5 }), (batches) => {
      const hashes = new DistinctHashes();
      for (const batch of batches) hashes.add(Float64Array.from(batch));
      expect(hashes.size).toBe(new Set(batches.flat()).size);
    }),
    { numRuns: 40 },
  );
});

test("hashes with equal lower bits are distinguished", () => {
  const hashes = new DistinctHashes();
  hashes.add(Float64Array.from({ length: 500 }, (_, index) => (index % 250) * 2 ** 32));
  expect(hashes.size).toBe(250);
});

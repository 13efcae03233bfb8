import * as fc from "fast-check";
import { expect, test } from "vitest";
import { imposedGain } from "../../../protocol/media/imposed-gain.ts";

const span = { start: 100, end: 200, fadeIn: 20, fadeOut: 50 };

test("the gain rises from the start, is one between the fades, and falls to the end", () => {
  const gains = [99, 100, 105, 110, 120, 150, 175, 199, 200].map((sample) => imposedGain(sample, span));
  expect(gains).toEqual([0, 0, 0.25, 0.5, 1, 1, 0.5, 0.02, 0]);
});

test("without fades the sound is as loud as it is, also without an end", () => {
  const whole = { start: 0, end: Infinity, fadeIn: 0, fadeOut: 0 };
  expect([0, 1, 1e9].map((sample) => imposedGain(sample, whole))).toEqual([1, 1, 1]);
  expect(imposedGain(1e9, { ...whole, fadeOut: 48_000 })).toBe(1); // nobody knows where it would begin
});

test("fades that are longer than the sound overlap, and no gain is outside of 0 to 1", () => {
  const length = fc.integer({ min: 0, max: 1000 });
  fc.assert(
    fc.property(length, length, length, length, length, (sample, start, extent, fadeIn, fadeOut) => {
      const gain = imposedGain(sample, { start, end: start + extent, fadeIn, fadeOut });
      expect(gain).toBeGreaterThanOrEqual(0);
      expect(gain).toBeLessThanOrEqual(1);
    }),
  );
});

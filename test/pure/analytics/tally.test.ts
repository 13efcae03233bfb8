import * as fc from "fast-check";
import { expect, test } from "vitest";
import { SLOTS, slotOf } from "../../../src/analytics/store/packed-figures.ts";
import { Tally } from "../../../src/analytics/store/tally.ts";

const WANTED = { column: "startup_ms" as const, quantiles: [0.5, 0.95], isOfSucceeded: false };

/** Views with these startups; NaN = none. */
function views(startupsMs: readonly number[]): Float64Array {
  const figures = new Float64Array(startupsMs.length * SLOTS).fill(NaN);
  for (const [view, value] of startupsMs.entries()) figures[view * SLOTS + slotOf("startup_ms")] = value;
  return figures;
}

const sampleOf = (startupsMs: readonly number[]) => ({
  figures: views(startupsMs),
  weights: new Float64Array(startupsMs.length).fill(1),
});

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);
/** The same numbers in another order. */
const shuffled = (count: number) => upTo(count).map((index) => (index * 7919) % count);

test("with a sample, only the values near the quantiles are kept", () => {
  const tally = new Tally(WANTED);
  tally.take(views(shuffled(10_007).slice(0, 5000)));
  expect(tally.held).toBe(5000);
  expect(tally.sample(sampleOf(upTo(1000).map((index) => index * 10)))).toBeLessThan(500);
  tally.narrow(1);
  expect(tally.held).toBeLessThan(2200);
  tally.take(views(shuffled(10_007).slice(5000)));
  expect(tally.moveWindows(1)).toBe(false);
  expect([tally.count, tally.total]).toEqual([10_007, (10_007 * 10_006) / 2]);
  expect([tally.neighbours(0.5), tally.neighbours(0.95)]).toEqual([
    [5003, 5003],
    [9505, 9506],
  ]);
});

test("a quantile that the sample misplaced is found by the second reading", () => {
  const all = views(shuffled(10_007));
  const tally = new Tally(WANTED);
  // Slow views are twice as likely to be in the sample.
  tally.sample(sampleOf([...upTo(500).map((index) => index * 10), ...upTo(1000).map((index) => 5000 + index * 5)]));
  tally.narrow(0.1);
  tally.take(all);
  expect(tally.neighbours(0.5)).toBeNull();
  expect(tally.moveWindows(1)).toBe(true);
  tally.takeAgain(all);
  expect([tally.neighbours(0.5), tally.neighbours(0.95)]).toEqual([
    [5003, 5003],
    [9505, 9506],
  ]);
});

test("a column without values needs no second reading", () => {
  const tally = new Tally(WANTED);
  tally.sample(sampleOf([NaN, NaN]));
  tally.narrow(1);
  tally.take(views([NaN, NaN, NaN]));
  expect(tally.moveWindows(1)).toBe(false);
});

test("the second reading does not count views again", () => {
  const startup = fc.option(fc.integer({ min: 0, max: 99 }), { nil: NaN });
  fc.assert(
    fc.property(fc.array(startup, { minLength: 1 }), fc.array(startup), (startupsMs, sampled) => {
      const [tally, all] = [new Tally(WANTED), views(startupsMs)];
      tally.sample(sampleOf(sampled));
      tally.narrow(0);
      tally.take(all);
      tally.moveWindows(0);
      tally.takeAgain(all);
      const known = startupsMs.filter((value) => !Number.isNaN(value));
      expect([tally.count, tally.total]).toEqual([known.length, known.reduce((sum, value) => sum + value, 0)]);
      const sorted = known.toSorted((one, other) => one - other);
      const [middle, next] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.ceil((sorted.length - 1) / 2)]];
      const median = tally.neighbours(0.5);
      if (known.length > 0 && median !== null) expect(median).toEqual([middle, next]);
    }),
  );
});

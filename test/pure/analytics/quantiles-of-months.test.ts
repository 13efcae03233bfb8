import * as fc from "fast-check";
import { expect, test } from "vitest";
import { quantilesOfMonths } from "../../../src/analytics/questions/quantiles-of-months.ts";
import { quantileBetween } from "../../../src/analytics/store/neighbours.ts";
import { SLOTS, slotOf } from "../../../src/analytics/store/packed-figures.ts";
import { QuantileWindow } from "../../../src/analytics/store/quantile-window.ts";
import { partsOf } from "../../../src/analytics/store/range-parts.ts";
import type { Range, Span } from "../../../src/analytics/store/store-calls.ts";

const SHARES = [0, 0.25, 0.5, 0.95, 1];
const SPAN: Span = { fromMs: 0, toMs: 1, filters: { sql: "true", values: [] } };
const column = "buffer_ms" as const;

/** The value of an unknown figure in a packed view. */
const UNKNOWN = NaN;
const isKnown = (value: number) => !Number.isNaN(value);

/** A store whose views have these values, a few at a time. */
const storeOf = (values: readonly number[]) => ({
  *packed() {
    for (let from = 0; from < values.length; from += 7) {
      const some = values.slice(from, from + 7);
      const figures = new Float64Array(some.length * SLOTS).fill(UNKNOWN);
      for (const [view, value] of some.entries()) figures[view * SLOTS + slotOf(column)] = value;
      yield figures;
    }
  },
});

const sortedQuantile = (values: readonly number[], share: number): number | null => {
  const sorted = values.filter(isKnown).toSorted((one, other) => one - other);
  const position = share * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(position)], sorted[Math.ceil(position)]];
  return below === undefined ? null : quantileBetween([below, above!], share, sorted.length);
};

function neighboursIn(month: readonly number[], share: number) {
  const values = month.filter(isKnown);
  const window = new QuantileWindow();
  window.add(Float64Array.from(values));
  return values.length === 0 ? [] : [window.neighbours(share, values.length)!];
}

async function quantilesOf(months: readonly number[][], valuesOfAnswer: number) {
  const asked: Range[][] = [];
  const wanted = SHARES.map((share) => ({
    column,
    share,
    count: months.flat().filter(isKnown).length,
    neighbours: months.flatMap((values) => neighboursIn(values, share)),
  }));
  const quantiles = await quantilesOfMonths(wanted, async (ranges) => {
    asked.push(ranges);
    return months.map((values) => partsOf(storeOf(values), SPAN, ranges, valuesOfAnswer));
  });
  return { quantiles, asked };
}

const value = fc.oneof(
  fc.integer({ min: 0, max: 9 }),
  fc.integer({ min: 0, max: 5000 }),
  fc.double({ min: 0, max: 1e9, noNaN: true }),
  fc.constant(UNKNOWN),
);
const month = fc.array(value, { maxLength: 200 });

test("quantiles over several months equal those of all values, however few values an answer may have", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(month, { maxLength: 5 }), fc.constantFrom(0, 3, 1e6), async (months, valuesOfAnswer) => {
      const { quantiles } = await quantilesOf(months, valuesOfAnswer);
      expect(quantiles).toEqual(SHARES.map((share) => sortedQuantile(months.flat(), share)));
    }),
  );
});

test("months that are alike are asked once more, and only for values next to their quantiles", async () => {
  const months = [1, 2, 3].map((seed) =>
    Array.from({ length: 5000 }, (_, index) => ((index * 7919 + seed * 31) % 5003) + seed / 10),
  );
  const { quantiles, asked } = await quantilesOf(months, 1e6);
  expect(quantiles).toEqual(SHARES.map((share) => sortedQuantile(months.flat(), share)));
  expect(asked).toHaveLength(1);
  const sent = months
    .flatMap((values) => partsOf(storeOf(values), SPAN, asked[0]!))
    .reduce((sum, { values }) => sum + values!.length, 0);
  expect(sent).toBeLessThan(200);
});

test("months that differ much are asked in steps that are small enough", async () => {
  const months = [
    Array.from({ length: 20_000 }, (_, index) => index / 7),
    Array.from({ length: 20_000 }, (_, index) => 1e6 + index / 3),
  ];
  const { quantiles, asked } = await quantilesOf(months, 500);
  expect(quantiles).toEqual(SHARES.map((share) => sortedQuantile(months.flat(), share)));
  expect(asked.length).toBeGreaterThan(1);
  for (const ranges of asked)
    for (const values of months)
      expect(
        partsOf(storeOf(values), SPAN, ranges, 500).flatMap((part) => part.values ?? []).length,
      ).toBeLessThanOrEqual(500);
});

test("a change of the views between two answers does not end in an error", async () => {
  const wanted = [
    {
      column,
      share: 0.5,
      count: 1000,
      neighbours: [
        [10, 10],
        [20, 20],
      ] as [number, number][],
    },
  ];
  const gone = { below: 0, atFrom: 0, atTo: 0, between: 0, values: [], middle: null };
  expect(await quantilesOfMonths(wanted, async () => [[gone], [gone]])).toEqual([20]);
  expect(await quantilesOfMonths(wanted, async () => [[{ ...gone, below: 9999 }], [gone]])).toEqual([10]);
});

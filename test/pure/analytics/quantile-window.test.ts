import * as fc from "fast-check";
import { expect, test } from "vitest";
import { quantileBetween } from "../../../src/analytics/store/neighbours.ts";
import { QuantileWindow } from "../../../src/analytics/store/quantile-window.ts";

/** Few different values, so that many are at the bounds of a window. */
const numbers = fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 1, maxLength: 300 });
const bound = fc.option(fc.integer({ min: -10, max: 10 }), { nil: null });

test("a window returns the numbers between and at its bounds, and no others, by their rank among all", () => {
  fc.assert(
    fc.property(numbers, bound, bound, (values, one, other) => {
      const [from, to] = [one ?? -Infinity, other ?? Infinity].toSorted((a, b) => a - b) as [number, number];
      const window = new QuantileWindow({ from, to });
      const half = values.length >> 1;
      window.add(Float64Array.from(values.slice(0, half)));
      window.add(Float64Array.from(values.slice(half)));
      const sorted = values.toSorted((a, b) => a - b);
      const known = sorted.map((value) => (value >= from && value <= to ? value : null));
      expect(sorted.map((_, index) => window.at(index))).toEqual(known);
      expect(window.at(values.length)).toBeNull();
    }),
  );
});

test("a quantile lies between the two nearest numbers", () => {
  fc.assert(
    fc.property(numbers, (values) => {
      const sorted = values.toSorted((a, b) => a - b);
      const window = new QuantileWindow();
      window.add(Float64Array.from(values));
      for (const share of [0.5, 0.95, 0, 1]) {
        const position = share * (values.length - 1);
        const [below, above] = [sorted[Math.floor(position)]!, sorted[Math.ceil(position)]!];
        expect(quantileBetween(window.neighbours(share, values.length)!, share, values.length)).toBeCloseTo(
          below + (above - below) * (position % 1),
          9,
        );
      }
    }),
  );
});

test("any count of numbers is kept", () => {
  const window = new QuantileWindow();
  for (let index = 0; index < 5000; index += 1) window.add(Float64Array.of(index));
  expect([window.at(0), window.at(2500), window.at(4999)]).toEqual([0, 2500, 4999]);
});

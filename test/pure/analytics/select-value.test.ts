import * as fc from "fast-check";
import { expect, test } from "vitest";
import { quantileIn, selectValue } from "../../../src/analytics/store/select-value.ts";

/** Few different values, as counts of stalls, and many, as lengths. */
const numbers = fc.oneof(
  fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 300 }),
  fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 300 }),
);

test("the selected value is that which sorting would put at the index", () => {
  fc.assert(
    fc.property(numbers, fc.nat(), (values, any) => {
      const index = any % values.length;
      expect(selectValue(Float64Array.from(values), index)).toBe(Float64Array.from(values).sort()[index]);
    }),
  );
});

test("a quantile lies between the two nearest values, whatever was selected before", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 1, maxLength: 300 }), (values) => {
      const sorted = Float64Array.from(values).sort();
      const reordered = Float64Array.from(values);
      for (const share of [0.5, 0.95, 0, 1]) {
        const position = share * (values.length - 1);
        const [below, above] = [sorted[Math.floor(position)]!, sorted[Math.ceil(position)]!];
        expect(quantileIn(reordered, share)).toBeCloseTo(below + (above - below) * (position % 1), 9);
      }
    }),
  );
  expect(quantileIn(new Float64Array(), 0.5)).toBeNull();
});

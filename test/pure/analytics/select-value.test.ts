import * as fc from "fast-check";
import { expect, test } from "vitest";
import { selectValue } from "../../../src/analytics/store/select-value.ts";

/** Few different values, as counts of stalls, and many, as lengths. */
const numbers = fc.oneof(
  fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 300 }),
  fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 300 }),
);

test("the selected value is the one at the index after sorting", () => {
  fc.assert(
    fc.property(numbers, fc.nat(), (values, any) => {
      const index = any % values.length;
      expect(selectValue(Float64Array.from(values), index)).toBe(Float64Array.from(values).sort()[index]);
    }),
  );
});

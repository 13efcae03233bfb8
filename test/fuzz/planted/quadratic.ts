import * as fc from "fast-check";
import type { FuzzTarget } from "../target.ts";

export default {
  name: "planted-quadratic",
  arbitrary: fc.integer({ min: 0, max: 9 }),
  run(input) {
    let sum = 0;
    for (let n = 0; n < (input === 7 ? 4e8 : 0); n += 1) sum = (sum + n) % 7919;
    if (sum < 0) throw new Error("never");
  },
} satisfies FuzzTarget<number>;

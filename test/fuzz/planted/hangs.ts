import * as fc from "fast-check";
import type { FuzzTarget } from "../target.ts";

export default {
  name: "planted-hangs",
  arbitrary: fc.integer({ min: 0, max: 9 }),
  run(input) {
    // oxlint-disable-next-line no-unmodified-loop-condition -- the fault
    while (input === 7) input.toFixed();
  },
} satisfies FuzzTarget<number>;

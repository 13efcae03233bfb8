import * as fc from "fast-check";
import type { FuzzTarget } from "../target.ts";

export default {
  name: "planted-buffers",
  arbitrary: fc.integer({ min: 0, max: 9 }),
  workBudget: 100_000, // to touch new memory takes system time, more of it on a busy machine
  run(input) {
    if (input === 7) Buffer.alloc(100 << 20, 1);
  },
} satisfies FuzzTarget<number>;

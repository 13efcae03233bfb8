import * as fc from "fast-check";
import type { FuzzTarget } from "../target.ts";

export default {
  name: "planted-buffers",
  arbitrary: fc.integer({ min: 0, max: 9 }),
  run(input) {
    if (input === 7) Buffer.alloc(100 << 20, 1);
  },
} satisfies FuzzTarget<number>;

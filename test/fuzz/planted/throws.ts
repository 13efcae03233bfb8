import * as fc from "fast-check";
import type { FuzzTarget } from "../target.ts";

export default {
  name: "planted-throws",
  arbitrary: fc.integer({ min: 0, max: 9 }),
  run(input) {
    if (input === 7) throw new Error("planted");
  },
} satisfies FuzzTarget<number>;

import * as fc from "fast-check";
import type { FuzzTarget } from "../target.ts";

export default {
  name: "planted-heap",
  arbitrary: fc.integer({ min: 0, max: 9 }),
  run(input) {
    const rows: number[][] = [];
    // oxlint-disable-next-line no-unmodified-loop-condition -- the fault
    while (input === 7) rows.push([rows.length]);
  },
} satisfies FuzzTarget<number>;

import * as fc from "fast-check";
import type { FuzzTarget } from "./target.ts";

/** The input that belongs to a seed: the same in every process. */
export function inputOf<T>(target: FuzzTarget<T>, seed: number): T {
  return fc.sample(target.arbitrary, { seed, numRuns: 1 })[0]!;
}

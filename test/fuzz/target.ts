import type * as fc from "fast-check";

/** One parser or check that strangers can reach, with the inputs it is fuzzed with. The default export of a file in `targets/`. */
export interface FuzzTarget<T> {
  name: string;
  /** Structure-aware where that reaches deeper: valid input with mutations finds more than random bytes. */
  arbitrary: fc.Arbitrary<T>;
  /** Feeds the product's own code. Catches the refusals that are expected; whatever else it throws is a failure. */
  run(input: T): void | Promise<void>;
  /** Most work for one input, as a multiple of the CPU time that summing 1 MiB of bytes takes on the same thread. Default: 200. */
  workBudget?: number;
  /** Most heap of the whole process, in MiB. Default: 256. */
  maxHeapMiB?: number;
  /** Most bytes in buffers that one input may allocate, in MiB. Default: 64. */
  maxBufferMiB?: number;
}

export interface FuzzFailure {
  seed: number;
  why: string;
}

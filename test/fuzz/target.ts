import type * as fc from "fast-check";

/** A parser or check that reads untrusted input, with the inputs for it. The default export of a file in `targets/`. */
export interface FuzzTarget<T> {
  name: string;
  /** Structure-aware where that reaches deeper: valid input with mutations finds more than random bytes. */
  arbitrary: fc.Arbitrary<T>;
  /** Feeds the product's own code. Catches the refusals that are expected; whatever else it throws is a failure. */
  run(input: T): void | Promise<void>;
  /** Maximum work for one input, as a multiple of the CPU time that summing 1 MiB of bytes takes on the same thread. Default: 200. */
  workBudget?: number;
  /** Maximum heap of the whole process, in MiB. Default: 256. */
  maxHeapMiB?: number;
  /** Maximum bytes in buffers that one input may allocate, in MiB. Default: 64. */
  maxBufferMiB?: number;
}

export interface FuzzFailure {
  seed: number;
  why: string;
}

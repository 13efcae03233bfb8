import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { FuzzFailure, FuzzOrder, FuzzTarget } from "./target.ts";

/** Wall-clock time without a new input after which the thread is ended: only an endless loop takes so long. */
const HANG_MS = 30_000;
const DEFAULT_HEAP_MIB = 256;

/**
 * @param file path of the target
 * @returns the first failure, null when there is none
 */
export async function fuzz(
  file: string,
  target: FuzzTarget<unknown>,
  { seed, runs, hangMs = HANG_MS }: { seed: number; runs: number; hangMs?: number },
): Promise<FuzzFailure | null> {
  const progress = new SharedArrayBuffer(8);
  const view = new Int32Array(progress);
  const thread = new Worker(join(import.meta.dirname, "thread.ts"), {
    workerData: { file, seed, runs, progress } satisfies FuzzOrder,
    resourceLimits: { maxOldGenerationSizeMb: target.maxHeapMiB ?? DEFAULT_HEAP_MIB },
  });
  const failed = (why: string): FuzzFailure => ({ seed: Atomics.load(view, 1), why });
  let watchdog: NodeJS.Timeout | undefined;
  try {
    return await new Promise((done) => {
      let begun = -1;
      watchdog = setInterval(() => {
        const now = Atomics.load(view, 0);
        if (now === begun) done(failed(`did not end within ${hangMs} ms`));
        begun = now;
      }, hangMs);
      thread.once("message", done);
      thread.once("error", (error) =>
        done(failed(error instanceof Error ? (error.stack ?? error.message) : String(error))),
      );
      thread.once("exit", (code) => done(failed(`ended its thread with code ${code}`)));
    });
  } finally {
    clearInterval(watchdog);
    await thread.terminate();
  }
}

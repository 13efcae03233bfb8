/**
 * Runs one target's inputs in a separate process, which may hang or run out of memory: child.ts FILE SEED RUNS.
 * Writes to descriptor 3, unbuffered: a line with each seed before its input is tried, and a last line with the first failure as JSON, or null.
 */
import { writeSync } from "node:fs";
import { inputOf } from "./inputs.ts";
import type { FuzzFailure, FuzzTarget } from "./target.ts";

const DEFAULT_WORK_BUDGET = 200;
const DEFAULT_BUFFER_MIB = 64;
/**
 * How often an input beyond its budget is measured; the least counts. A hypervisor's time for other machines, collected garbage and
 * compilation are in the CPU time of a thread too: an input of 30 units was once measured as 239.
 */
const MEASUREMENTS = 3;
const REPORT = 3;

const [file = "", firstSeed, runs] = process.argv.slice(2);
const { default: target } = (await import(file)) as { default: FuzzTarget<unknown> };
writeSync(REPORT, `${JSON.stringify(await firstFailure())}\n`);

async function firstFailure(): Promise<FuzzFailure | null> {
  const unitUs = workUnitUs();
  const budget = target.workBudget ?? DEFAULT_WORK_BUDGET;
  const maxBufferBytes = (target.maxBufferMiB ?? DEFAULT_BUFFER_MIB) << 20;
  for (let run = 0; run < Number(runs); run += 1) {
    const seed = Number(firstSeed) + run;
    writeSync(REPORT, `${seed}\n`);
    const input = inputOf(target, seed);
    const bufferBytes = process.memoryUsage().arrayBuffers;
    let work = Infinity;
    for (let measured = 0; measured < MEASUREMENTS && work > budget; measured += 1) {
      const startedUs = cpuUs();
      try {
        await target.run(input);
      } catch (error) {
        return { seed, why: error instanceof Error ? (error.stack ?? error.message) : String(error) };
      }
      work = Math.min(work, (cpuUs() - startedUs) / unitUs);
    }
    if (work > budget) return { seed, why: `took ${work.toFixed(0)} units of work; the budget is ${budget}` };
    const allocated = process.memoryUsage().arrayBuffers - bufferBytes;
    if (allocated > maxBufferBytes) return { seed, why: `allocated ${allocated} bytes of buffers for one input` };
  }
  return null;
}

/** CPU time of this thread, without that of other processes and of the garbage collector's own threads. */
function cpuUs(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

/**
 * The unit of work budgets: CPU time for summing 1 MiB of bytes. Linux may count a thread's time in ticks of 4 ms, so it is the mean of
 * many rounds.
 */
function workUnitUs(): number {
  const rounds = 256;
  const bytes = new Uint8Array(1 << 20).fill(3);
  let sum = 0;
  const startedUs = cpuUs();
  for (let round = 0; round < rounds; round += 1)
    for (let at = 0; at < bytes.length; at += 1) sum = (sum + bytes[at]!) | 0;
  return sum === 0 ? 0 : (cpuUs() - startedUs) / rounds;
}

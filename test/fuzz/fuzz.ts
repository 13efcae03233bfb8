import { spawn } from "node:child_process";
import { join } from "node:path";
import type { FuzzFailure, FuzzTarget } from "./target.ts";

/** The process is killed when an input takes longer than this, by the wall clock: it is an endless loop. */
const HANG_MS = 30_000;
/** The process has loaded the target by then, on a busy machine too. */
const START_MS = 120_000;
const DEFAULT_HEAP_MIB = 256;
const STDERR_LENGTH = 2000;

/**
 * @param file path of the target
 * @returns the first failure, null when there is none
 * @throws an error when the process does not reach its first input
 */
export async function fuzz(
  file: string,
  target: FuzzTarget<unknown>,
  {
    seed,
    runs,
    hangMs = HANG_MS,
    startMs = START_MS,
  }: { seed: number; runs: number; hangMs?: number; startMs?: number },
): Promise<FuzzFailure | null> {
  const heap = `--max-old-space-size=${target.maxHeapMiB ?? DEFAULT_HEAP_MIB}`;
  const child = spawn(
    process.execPath,
    [heap, join(import.meta.dirname, "child.ts"), file, String(seed), String(runs)],
    {
      stdio: ["ignore", "ignore", "pipe", "pipe"],
    },
  );
  let lastLine = "";
  let stderr = "";
  let isHanging = false;
  const hang = () => {
    isHanging = true;
    child.kill("SIGKILL");
  };
  let watchdog = setTimeout(hang, startMs);
  let rest = "";
  child.stdio[3]!.on("data", (chunk: Uint8Array) => {
    const lines = (rest + Buffer.from(chunk).toString()).split("\n");
    rest = lines.pop()!;
    if (lines.length === 0) return;
    lastLine = lines.at(-1)!;
    clearTimeout(watchdog);
    watchdog = setTimeout(hang, hangMs);
  });
  child.stderr!.on("data", (chunk: Uint8Array) => {
    stderr = (stderr + Buffer.from(chunk).toString()).slice(-STDERR_LENGTH);
  });
  const [code, signal] = await new Promise<[number | null, string | null]>((done) =>
    child.once("close", (...ending) => done(ending)),
  );
  clearTimeout(watchdog);
  if (code === 0) return JSON.parse(lastLine) as FuzzFailure | null;
  if (lastLine === "") {
    const how = isHanging ? `within ${startMs} ms` : `(${signal ?? code}): ${stderr}`;
    throw new Error(`The process of ${file} has not reached its first input ${how}`);
  }
  const why = isHanging ? `did not end within ${hangMs} ms` : `ended its process (${signal ?? code}): ${stderr}`;
  return { seed: Number(lastLine), why };
}

/** A child process for one job: started before it is needed, watched while it runs, killed by its limits. */
import type { ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { ChildLimits } from "./limits.ts";
import { startMediaProcess } from "./media-process.ts";
import type { ChildMessage, RunMessage } from "./messages.ts";
import type { Job, JobFailureCode, JobResult, PartialRendition } from "../protocol/jobs.ts";

const CHILD_PATH = fileURLToPath(new URL("./child.ts", import.meta.url));
const WATCH_MS = 200;
const HEAP_MIB = 512;
const PAGE_BYTES = 4096;
/** libav's calls each hold one of libuv's threads: the decoder, a filter and every encoder of a ladder at the same time. */
const LIBUV_THREADS = 12;

export type Outcome =
  | { type: "result"; result: JobResult }
  | { type: "failure"; code: JobFailureCode; message: string }
  | { type: "stopped" }
  | { type: "crashed"; how: string };

export interface Movement {
  progress: number;
  speed: number;
}

/** Hears what a child tells while it works. */
export interface ChildListener {
  onMove: (movement: Movement) => void;
  onStored: (partial: PartialRendition) => void;
}

/** @throws {ProcessNotStarted} */
export const startChild = (): ChildProcess =>
  startMediaProcess(CHILD_PATH, {
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    heapMiB: HEAP_MIB,
    environment: { UV_THREADPOOL_SIZE: String(LIBUV_THREADS) },
  });

/** Resolves when the child has ended, however that was. `stop` kills it. */
export async function runInChild(
  child: ChildProcess,
  job: Job,
  limits: ChildLimits,
  { onMove, onStored }: ChildListener,
  stop: AbortSignal,
): Promise<Outcome> {
  let outcome: Outcome | undefined;
  let waitedMs = 0;
  const startedMs = performance.now();
  let aliveMs = startedMs;
  const end = (early: Outcome) => {
    outcome ??= early;
    child.kill("SIGKILL");
  };

  child.on("message", (message: ChildMessage) => {
    aliveMs = performance.now();
    if (message.type === "tick") {
      aliveMs += message.waitedMs - waitedMs; // pauses are told when they begin
      waitedMs = message.waitedMs;
      onMove(message);
    } else if (message.type === "stored") onStored(message.partial);
    else if (message.type !== "ready") outcome ??= message;
  });
  const stderr: string[] = [];
  child.stderr?.on(
    "data",
    (chunk: Buffer) => stderr.push(chunk.toString("utf8").slice(0, 2000)) > 20 && stderr.shift(),
  );
  const onStop = () => end({ type: "stopped" });
  stop.addEventListener("abort", onStop, { once: true });
  if (stop.aborted) onStop();

  const watch = setInterval(() => {
    const nowMs = performance.now();
    if (nowMs - aliveMs > limits.silenceMs) end(exceeded("Reading the source came to a standstill."));
    else if (nowMs - startedMs - waitedMs > limits.wallMs) end(exceeded("Working on the source took too long."));
    else
      void residentBytes(child.pid).then(
        (bytes) => bytes > limits.rssBytes && end(exceeded("The source needs too much memory.")),
      );
  }, WATCH_MS);
  child.send({ type: "run", job } satisfies RunMessage, () => {}); // a child that is gone already says so by its end

  const how = await ended(child);
  clearInterval(watch);
  stop.removeEventListener("abort", onStop);
  return outcome ?? { type: "crashed", how: `${how} ${stderr.join("").trim()}`.trim() };
}

const exceeded = (message: string): Outcome => ({ type: "failure", code: "source_exceeds_limits", message });

function ended(child: ChildProcess): Promise<string> {
  if (child.exitCode !== null || child.signalCode !== null)
    return Promise.resolve(`${child.signalCode ?? child.exitCode}`);
  return new Promise((resolve) => {
    child.once("close", (code, signal) => resolve(`${signal ?? code}`));
    child.once("error", (error) => child.pid === undefined && resolve(error.message));
  });
}

/** 0 where the system does not tell (no /proc) or the process is gone. */
export async function residentBytes(pid: number | undefined): Promise<number> {
  const statm = await readFile(`/proc/${pid}/statm`, "utf8").catch(() => "");
  return Number(statm.split(" ")[1] ?? 0) * PAGE_BYTES;
}

/** Runs one job in a child process: started in advance, monitored, and killed when it exceeds its limits. */
import type { ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { ChildLimits } from "./limits.ts";
import { LIBAV_ENVIRONMENT, startMediaProcess } from "../platform/media-process.ts";
import type { ChildMessage, RunMessage } from "./messages.ts";
import { Supervisor } from "../platform/supervisor.ts";
import type { ErrorFields } from "../../protocol/error-fields.ts";
import type { Job, JobFailureCode, JobResult, PartialRendition } from "../../protocol/jobs.ts";

const CHILD_PATH = fileURLToPath(new URL("./child.ts", import.meta.url));
const WATCH_MS = 200;
const HEAP_MIB = 512;

export type Outcome =
  | { type: "result"; result: JobResult }
  /** `unexpected`: an exception, for the log alone. */
  | { type: "failure"; code: JobFailureCode; message: string; unexpected?: ErrorFields }
  | { type: "stopped" }
  | { type: "crashed"; how: string; unexpected?: ErrorFields };

export interface Movement {
  progress: number;
  speed: number;
}

/** Receives a child's reports while it runs. */
export interface ChildListener {
  onMove: (movement: Movement) => void;
  onStored: (partial: PartialRendition) => void;
}

/** @throws {ProcessNotStarted} */
export const startChild = (): ChildProcess =>
  startMediaProcess(CHILD_PATH, {
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    heapMiB: HEAP_MIB,
    environment: { ...LIBAV_ENVIRONMENT, ...speechModel() },
  });

/** Where the speech model is, for jobs that use it. */
function speechModel(): Record<string, string> {
  const path = process.env["WHISPER_MODEL"] ?? "";
  return path === "" ? {} : { WHISPER_MODEL: path };
}

/** Resolves when the child has exited for any reason. `stop` kills it. */
export async function runInChild(
  child: ChildProcess,
  job: Job,
  limits: ChildLimits,
  { onMove, onStored }: ChildListener,
  stop: AbortSignal,
): Promise<Outcome> {
  const startedMs = performance.now();
  let waitedMs = 0;
  let aliveMs = startedMs;
  const supervisor = new Supervisor<Outcome>(child, {
    watchMs: WATCH_MS,
    rssBytes: limits.rssBytes,
    tooLarge: exceeded("The source needs too much memory."),
    verdict: () => {
      const nowMs = performance.now();
      if (nowMs - aliveMs > limits.silenceMs) return exceeded("Reading the source stopped making progress.");
      if (nowMs - startedMs - waitedMs > limits.wallMs) return exceeded("Working on the source took too long.");
      return null;
    },
    stop: { signal: stop, outcome: { type: "stopped" } },
  });
  child.on("message", (message: ChildMessage) => {
    aliveMs = performance.now();
    if (message.type === "tick") {
      aliveMs += message.waitedMs - waitedMs; // a pause is reported at its start
      waitedMs = message.waitedMs;
      onMove(message);
    } else if (message.type === "stored") onStored(message.partial);
    else if (message.type !== "ready") supervisor.settle(message);
  });
  const watched = supervisor.watch();
  child.send({ type: "run", job } satisfies RunMessage, () => {}); // the supervisor reports a child that has already exited
  const { outcome, how } = await watched;
  return outcome ?? { type: "crashed", how };
}

const exceeded = (message: string): Outcome => ({ type: "failure", code: "source_exceeds_limits", message });

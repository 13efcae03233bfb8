import type { Moves } from "../../platform/machine/state-machine.ts";
import type { BatchState } from "../batches/batch-calls.ts";

/** `resume_scan` and `resume_run`: a paused batch goes on where it was. `retry`: failed items of a batch that has ended are tried again. */
export type BatchSignal = "scanned" | "start" | "pause" | "resume_scan" | "resume_run" | "cancel" | "finish" | "retry";

/** The event that is announced with a move. `migration.batch.completed` comes with `finish`, and for a cancelled batch when its items have ended. */
const STARTED = "migration.batch.started";

export const BATCH_MOVES: Moves<BatchState, BatchSignal> = {
  scanning: {
    scanned: ["scanned", null],
    start: ["running", STARTED],
    pause: ["paused", null],
    cancel: ["cancelled", null],
  },
  scanned: { start: ["running", STARTED], cancel: ["cancelled", null] },
  running: { pause: ["paused", null], finish: ["done", null], cancel: ["cancelled", null] },
  paused: {
    resume_scan: ["scanning", null],
    resume_run: ["running", null],
    cancel: ["cancelled", null],
  },
  done: { retry: ["running", null] },
  cancelled: {},
};

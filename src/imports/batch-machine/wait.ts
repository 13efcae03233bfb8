/** How a batch waits for its source, and when it gives up. */
import { Problem } from "../../platform/http/problems.ts";
import { errorFields, log, logError } from "../../platform/log.ts";
import { ITEM_ERRORS, SourceFailure } from "../sources/source.ts";
import { moveBatch } from "./announce.ts";
import type { BatchComponents } from "./components.ts";
import { forgetFailures } from "./forget-failures.ts";
import { FULL } from "./judge.ts";

const MOST_PAUSE_MS = 5 * 60_000;
const FIRST_PAUSE_MS = 5_000;

/** Until when the source is not asked, epoch ms; null = it may be asked. */
export function quietUntilMs({ documents, clock }: BatchComponents): number | null {
  const untilMs = documents.get("quietUntilMs") ?? 0;
  return untilMs > clock() ? untilMs : null;
}

/** The source has answered: earlier failures are over. */
export function noteAnswer(batch: BatchComponents): void {
  if (batch.documents.get("failures") !== undefined) forgetFailures(batch);
}

/** @returns failures of the source in a row */
export function noteFailure({ documents }: BatchComponents): number {
  const failures = (documents.get("failures") ?? 0) + 1;
  documents.put("failures", failures);
  return failures;
}

/** A failure that concerns the whole batch. What will not pass by itself pauses it; else the source is left alone for a while. */
export function waitFor(batch: BatchComponents, error: unknown): void {
  const { documents, clock, order } = batch;
  const { code, message, isFinal, retryAfterMs } = problemOf(error);
  const failures = noteFailure(batch);
  if (code === "internal") logError("import.step_failed", { batchId: order.batchId, ...errorFields(error) });
  else log("import.waits", { batchId: order.batchId, code, failures });
  if (isFinal && batch.state.status !== "cancelled" && batch.state.status !== "paused") {
    moveBatch(batch, "pause", () => {
      documents.delete("quietUntilMs");
      documents.put("problem", { code, message });
    });
    return;
  }
  // Many items fail at once when the source goes away for a moment, so failures do not lengthen the wait.
  const waits = (documents.get("waits") ?? 0) + 1;
  const backOffMs = Math.min(MOST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(waits - 1, 10));
  batch.commit(() => {
    documents.put("waits", waits);
    documents.put("quietUntilMs", clock() + Math.max(retryAfterMs, backOffMs));
    if (batch.state.status !== "paused") documents.put("problem", { code, message }); // else it shows why it was paused
  });
}

/** Whether a failure of the source will not pass by itself, and concerns every item. */
export const isFinal = (error: unknown): boolean => problemOf(error).isFinal;

function problemOf(error: unknown): { code: string; message: string; isFinal: boolean; retryAfterMs: number } {
  if (error instanceof SourceFailure) {
    const { code, message, retryAfterMs } = error;
    return { code, message, isFinal: retryAfterMs === null, retryAfterMs: retryAfterMs ?? 0 };
  }
  if (error instanceof Problem && FULL.has(error.code))
    return { code: error.code, message: error.message, isFinal: true, retryAfterMs: 0 };
  return { code: "internal", message: ITEM_ERRORS.internal, isFinal: false, retryAfterMs: 0 };
}

import { errorFields, log, logError } from "../../platform/log.ts";
import { Problem } from "../../platform/http/problems.ts";
import { ITEM_ERRORS, SourceFailure } from "../sources/source.ts";
import { announceState, COMPLETED, moveBatch } from "./announce.ts";
import type { BatchComponents } from "./components.ts";
import { releaseSome } from "./release.ts";
import { scanStep } from "./scan.ts";
import { settleSubmitted, SETTLE_EVERY_MS } from "./settle.ts";
import { submitSome } from "./submit.ts";

/** An alarm works for so long, and is set again: the other timers of the object then have their turn. */
const TURN_MS = 5_000;
/** Failures of the source in a row, after which the whole batch waits for it instead of failing its items. */
const MOST_PAUSE_MS = 5 * 60_000;
const FIRST_PAUSE_MS = 5_000;

/** Scans, submits and follows items for one turn. */
export async function work(batch: BatchComponents): Promise<void> {
  const untilMs = batch.clock() + TURN_MS;
  while (batch.clock() < untilMs) {
    const nextMs = await step(batch);
    if (nextMs === null) return batch.timers.cancel("work");
    if (nextMs > batch.clock()) return batch.timers.schedule("work", nextMs);
  }
  batch.timers.schedule("work", batch.clock());
}

/** @returns when there is something to do again, epoch ms; null = nothing until a command */
async function step(batch: BatchComponents): Promise<number | null> {
  const { state, documents, clock } = batch;
  try {
    switch (state.status) {
      case "scanning":
        if (isQuiet(batch)) return documents.get("quietUntilMs")!;
        await scanStep(batch);
        noteAnswer(batch);
        return clock();
      case "running":
        return await runStep(batch);
      case "cancelled":
        return await windUp(batch);
      case "done":
      case "paused":
      case "scanned":
        return null;
    }
  } catch (error) {
    return waitFor(batch, error);
  }
}

export const isQuiet = ({ documents, clock }: BatchComponents): boolean =>
  (documents.get("quietUntilMs") ?? 0) > clock();

/** The source has answered: earlier failures are over. */
export function noteAnswer({ documents }: BatchComponents): void {
  if (documents.get("failures") !== undefined) documents.delete("failures", "quietUntilMs", "problem");
}

async function runStep(batch: BatchComponents): Promise<number | null> {
  const { items, clock } = batch;
  const settled = await settleSubmitted(batch);
  const submitted = isQuiet(batch) ? 0 : await submitSome(batch);
  const released = isQuiet(batch) ? 0 : await releaseSome(batch);
  if (settled + submitted + released > 0) return clock();
  const { counts } = items;
  if (counts.pending + counts.submitted === 0 && !items.owesReleases) {
    finish(batch);
    return null;
  }
  return nextLookMs(batch);
}

/** When something may have changed. */
function nextLookMs({ items, documents, clock }: BatchComponents): number {
  const nowMs = clock();
  const quietUntilMs = documents.get("quietUntilMs") ?? 0;
  const due = Math.max(items.nextDueMs() ?? Infinity, quietUntilMs);
  const { submitted } = items.counts;
  const look = submitted > 0 || items.owesReleases ? nowMs + SETTLE_EVERY_MS : Infinity;
  return Math.max(nowMs + 200, Math.min(due, look, nowMs + 60_000));
}

/** Each item has its end: `migration.batch.completed`, once for a batch, however often it is run again. */
function finish(batch: BatchComponents): void {
  const { documents, order } = batch;
  const isFirst = documents.get("isAnnounced") === undefined;
  batch.state.move("finish", (_, state) => {
    documents.put("completedAtMs", batch.clock());
    documents.put("isAnnounced", true);
    announceState(batch, { type: isFirst ? COMPLETED : "migration.batch.progress", state });
  });
  log("import.done", { batchId: order.batchId, workspaceId: order.workspaceId, ...batch.items.counts });
}

const CANCELLED = { code: "cancelled", message: ITEM_ERRORS.cancelled };

/** After a cancel: what was submitted is followed to its end, and the source is left as it was. */
async function windUp(batch: BatchComponents): Promise<number | null> {
  const { items, documents, clock } = batch;
  if (items.counts.pending > 0) items.moveAll("pending", "cancelled", CANCELLED); // those that were being submitted
  await settleSubmitted(batch);
  if (!isQuiet(batch)) await releaseSome(batch);
  if (items.counts.submitted > 0 || items.owesReleases) return clock() + SETTLE_EVERY_MS;
  if (documents.get("isAnnounced") === undefined)
    batch.commit(() => {
      documents.put("completedAtMs", clock());
      documents.put("isAnnounced", true);
      announceState(batch, { type: COMPLETED });
    });
  return null;
}

/**
 * A failure that concerns the whole batch. What will not pass by itself pauses it; else the source is asked again after a pause.
 *
 * @returns when, epoch ms; null = it is paused
 */
function waitFor(batch: BatchComponents, error: unknown): number | null {
  const { documents, clock, order } = batch;
  const failures = (documents.get("failures") ?? 0) + 1;
  const problem = problemOf(error);
  if (problem.code === "internal") logError("import.step_failed", { batchId: order.batchId, ...errorFields(error) });
  else log("import.waits", { batchId: order.batchId, code: problem.code, failures });
  if (problem.isFinal) {
    moveBatch(batch, "pause", () => documents.put("problem", { code: problem.code, message: problem.message }));
    return batch.state.status === "cancelled" ? clock() + MOST_PAUSE_MS : null;
  }
  const pauseMs = Math.max(
    problem.retryAfterMs,
    Math.min(MOST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 10)),
  );
  batch.commit(() => {
    documents.put("failures", failures);
    documents.put("quietUntilMs", clock() + pauseMs);
    documents.put("problem", { code: problem.code, message: problem.message });
  });
  return clock() + pauseMs;
}

/** What cannot be mended by waiting: the owner must do something. */
const FINAL_PROBLEMS: ReadonlySet<string> = new Set(["media_limit_reached", "storage_limit_reached"]);

function problemOf(error: unknown): { code: string; message: string; isFinal: boolean; retryAfterMs: number } {
  if (error instanceof SourceFailure) {
    const { code, message, retryAfterMs } = error;
    return { code, message, isFinal: retryAfterMs === null, retryAfterMs: retryAfterMs ?? 0 };
  }
  if (error instanceof Problem && FINAL_PROBLEMS.has(error.code))
    return { code: error.code, message: error.message, isFinal: true, retryAfterMs: 0 };
  return { code: "internal", message: ITEM_ERRORS.internal, isFinal: false, retryAfterMs: 0 };
}

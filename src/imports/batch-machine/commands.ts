/** What the owner of a batch asks of it. */
import { log } from "../../platform/log.ts";
import type { BatchCommand, BatchOrder, BatchView } from "../batches/batch-calls.ts";
import { ITEM_ERRORS } from "../sources/source.ts";
import { moveBatch } from "./announce.ts";
import { type BatchComponents, SCAN_BEGIN } from "./components.ts";
import { viewOf } from "./view.ts";

/** Begins the scan. Repeatable. */
export function begin(batch: BatchComponents, order: BatchOrder): void {
  const { documents, timers, clock } = batch;
  if (documents.get("order") !== undefined) return wake(batch);
  batch.commit(() => {
    documents.put("order", order);
    documents.put("scan", SCAN_BEGIN);
  });
  timers.schedule("work", clock());
  timers.schedule("show", clock());
  log("import.begun", { batchId: order.batchId, workspaceId: order.workspaceId, source: order.source });
}

/** Goes on after an alarm was lost. Without effect on a batch that has nothing to do. */
export function wake({ timers, clock, documents, state }: BatchComponents): void {
  if (documents.get("order") === undefined || state.status === "scanned" || state.status === "paused") return;
  timers.bringForward("work", clock());
  timers.bringForward("outbox", clock());
}

/** @returns null when the state does not accept it */
export function command(batch: BatchComponents, given: BatchCommand, order: BatchOrder): BatchView | null {
  if (batch.documents.get("order") === undefined) begin(batch, order);
  const isDone = carryOut(batch, given);
  log("import.command", { batchId: batch.order.batchId, command: given.name, accepted: isDone });
  if (!isDone) return null;
  batch.timers.schedule("work", batch.clock());
  batch.timers.bringForward("show", batch.clock());
  return viewOf(batch);
}

function carryOut(batch: BatchComponents, given: BatchCommand): boolean {
  switch (given.name) {
    case "start":
      return batch.state.status === "scanned" && moveBatch(batch, "start", () => begunWith(batch, given.exclude));
    case "pause":
      return moveBatch(batch, "pause");
    case "resume":
      return resume(batch, given.credentialId);
    case "cancel":
      return moveBatch(batch, "cancel", () => {
        batch.items.moveAll("pending", "cancelled", { code: "cancelled", message: ITEM_ERRORS.cancelled });
        noteQuiet(batch);
      });
    case "retry":
      return retry(batch, given.items);
  }
}

function begunWith(batch: BatchComponents, exclude: readonly string[]): void {
  for (const id of exclude) {
    const item = batch.items.bySourceId(id);
    if (item?.status === "pending") batch.items.set(item.seq, { status: "excluded" });
  }
  noteStart(batch);
}

/** Part of the commit with which the batch begins to submit. */
export function noteStart({ documents, clock }: BatchComponents): void {
  if (documents.get("startedAtMs") === undefined) documents.put("startedAtMs", clock());
}

function resume(batch: BatchComponents, credentialId: string | null): boolean {
  const signal = batch.documents.get("startedAtMs") !== undefined ? "resume_run" : "resume_scan";
  return moveBatch(batch, signal, () => {
    if (credentialId !== null) batch.documents.put("order", { ...batch.order, credentialId });
    batch.source = null;
    noteQuiet(batch);
  });
}

/** Failed items are tried again: all of them, or those that are named. A batch that has ended runs again. */
function retry(batch: BatchComponents, ids: readonly string[] | null): boolean {
  const { state, items } = batch;
  const again = () => {
    if (ids === null) items.moveAll("failed", "pending");
    for (const id of ids ?? []) {
      const item = items.bySourceId(id);
      if (item?.status === "failed") items.set(item.seq, { ...AFRESH, status: "pending" });
    }
    noteQuiet(batch);
  };
  if (state.status === "done")
    return moveBatch(batch, "retry", () => {
      batch.documents.delete("completedAtMs");
      again();
    });
  if (state.status !== "running") return false;
  batch.commit(again);
  return true;
}

const AFRESH = { attempts: 0, dueMs: 0, preparing: null, error: null, differences: [] };

/** The source is asked at once, and what was wrong with it is forgotten. */
function noteQuiet({ documents }: BatchComponents): void {
  documents.delete("problem", "quietUntilMs", "failures");
}

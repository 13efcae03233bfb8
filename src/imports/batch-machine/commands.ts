/** What the owner of a batch asks of it. */
import { log } from "../../platform/log.ts";
import type { BatchCommand, BatchOrder, BatchView } from "../batches/batch-calls.ts";
import { CANCELLED } from "./adopt.ts";
import { moveBatch } from "./announce.ts";
import { type BatchComponents, SCAN_BEGIN } from "./components.ts";
import { forgetFailures } from "./forget-failures.ts";
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
export function wake({ timers, clock, documents }: BatchComponents): void {
  if (documents.get("order") === undefined) return;
  // Timers that are due already have lost their alarm, which only `schedule` sets again.
  for (const timer of ["work", "show", "outbox"] as const) timers.schedule(timer, clock());
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
        batch.documents.put("cancelledAtMs", batch.clock());
        batch.items.cancelPending(CANCELLED);
        forgetFailures(batch);
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
  documents.delete("pulse"); // what failed in the scan is no throughput
}

function resume(batch: BatchComponents, credentialId: string | null): boolean {
  const signal = batch.documents.get("startedAtMs") !== undefined ? "resume_run" : "resume_scan";
  return moveBatch(batch, signal, () => {
    if (credentialId !== null) replaceCredential(batch, credentialId);
    batch.source = null;
    forgetFailures(batch);
  });
}

function replaceCredential({ documents, order }: BatchComponents, credentialId: string): void {
  if (credentialId === order.credentialId) return;
  if (order.credentialId !== null) documents.put("formerCredential", order.credentialId);
  documents.put("order", { ...order, credentialId });
}

/** Failed items are tried again: all of them, or those that are named, which may also have been left out. A batch that has ended runs again. */
function retry(batch: BatchComponents, ids: readonly string[] | null): boolean {
  const { state, items, documents } = batch;
  const again = () => {
    for (const id of ids ?? [null]) items.retry(id);
    if (state.status !== "paused") forgetFailures(batch);
  };
  if (state.status === "done")
    return moveBatch(batch, "retry", () => {
      documents.delete("completedAtMs", "owesProgress");
      again();
    });
  const accepts =
    state.status === "running" || (state.status === "paused" && documents.get("startedAtMs") !== undefined);
  if (accepts) batch.commit(again);
  return accepts;
}

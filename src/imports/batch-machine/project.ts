import { and, eq, lt, sql } from "drizzle-orm";
import { commitWithEvents } from "../../events/webhooks/index.ts";
import { commit, openDatabase } from "../../platform/database.ts";
import { derivedId } from "../../platform/crypto/derived-id.ts";
import type { Sequenced } from "../../platform/machine/outbox.ts";
import { toTimestamp } from "../../platform/timestamp.ts";
import type { BatchCounts, BatchProblem, BatchState } from "../batches/batch-calls.ts";
import { deleteUnlessKept } from "../credentials/repository.ts";
import { importBatches } from "../store/tables.ts";
import { COMPLETED, type FailedItem, reportUrlOf } from "./announce.ts";
import type { BatchComponents } from "./components.ts";

/** The record of a batch, as D1 and events show it. */
export interface BatchMessage {
  kind: "record";
  payload: {
    revision: number;
    atMs: number;
    state: BatchState;
    counts: BatchCounts;
    problem: BatchProblem | null;
    completedAtMs: number | null;
    event: { type: string; failed: FailedItem[] } | null;
  };
}

/** Writes a batch's messages to D1, each with its event. Idempotent: an event's id follows from the batch and the message. */
export async function projectBatch(batch: BatchComponents, messages: Sequenced<BatchMessage>[]): Promise<void> {
  const { env, order } = batch;
  const db = openDatabase(env.DB);
  for (const { payload } of messages) {
    const { revision, state, counts, problem, completedAtMs, atMs, event } = payload;
    const startedAtMs = batch.documents.get("startedAtMs");
    const updated = db
      .update(importBatches)
      .set({
        state,
        counts: { ...counts },
        problem,
        revision,
        updatedAt: new Date(atMs),
        completedAt: completedAtMs === null ? null : new Date(completedAtMs),
        ...(startedAtMs === undefined ? {} : { startedAt: new Date(startedAtMs) }),
      })
      .where(and(eq(importBatches.id, order.batchId), lt(importBatches.revision, revision)));
    if (event === null) {
      await commit(env.DB, [updated]);
      continue;
    }
    const isEnd = event.type === COMPLETED;
    const id = await derivedId(event.type, order.batchId, isEnd ? "" : revision);
    const { workspaceId, batchId, credentialId } = order;
    const ends = isEnd && credentialId !== null ? [deleteUnlessKept(db, { credentialId, batchId })] : [];
    const announced = {
      id,
      workspaceId,
      type: event.type,
      objectId: batchId,
      occurredAtMs: atMs,
      data: dataOf(batch, payload),
    };
    const { wake } = await commitWithEvents(env, [...ends, updated], [{ event: announced, onlyIf: sql`TRUE` }]);
    batch.runtime.after(wake());
  }
}

function dataOf({ order }: BatchComponents, { state, counts, completedAtMs, event }: BatchMessage["payload"]) {
  const { batchId, source, createdAtMs } = order;
  const known = { batchId, source, status: state, counts, createdAt: toTimestamp(new Date(createdAtMs)) };
  const reportUrl = reportUrlOf(order);
  if (event?.type !== COMPLETED) return { ...known, reportUrl };
  return {
    ...known,
    failedItems: event.failed,
    failedItemsTotal: counts.failed,
    reportUrl,
    completedAt: toTimestamp(new Date(completedAtMs ?? 0)),
  };
}

import { and, eq, lt, sql } from "drizzle-orm";
import { commitWithEvents } from "../../events/webhooks/index.ts";
import { commit, openDatabase } from "../../platform/database.ts";
import { derivedId } from "../../platform/crypto/derived-id.ts";
import type { Sequenced } from "../../platform/machine/outbox.ts";
import { toTimestamp } from "../../platform/timestamp.ts";
import { deleteUnlessKept } from "../credentials/repository.ts";
import { importBatches } from "../store/tables.ts";
import { COMPLETED, reportUrlOf } from "./announce.ts";
import type { BatchMessage } from "./batch-message.ts";
import type { BatchComponents } from "./components.ts";

/** Writes a batch's messages to D1, each with its event. Idempotent: an event's id follows from the batch and the message. */
export async function projectBatch(batch: BatchComponents, messages: Sequenced<BatchMessage>[]): Promise<void> {
  const { env, order } = batch;
  const { workspaceId, batchId } = order;
  const db = openDatabase(env.DB);
  for (const { payload } of messages) {
    const { revision, state, counts, problem, completedAtMs, atMs, event, credentialId } = payload;
    const startedAtMs = batch.documents.get("startedAtMs");
    const updated = db
      .update(importBatches)
      .set({
        state,
        counts: { ...counts },
        problem,
        credentialId,
        revision,
        updatedAt: new Date(atMs),
        completedAt: completedAtMs === null ? null : new Date(completedAtMs),
        ...(startedAtMs === undefined ? {} : { startedAt: new Date(startedAtMs) }),
      })
      .where(and(eq(importBatches.id, order.batchId), lt(importBatches.revision, revision)));
    const change = [
      updated,
      ...unusedCredentials(payload).map((unused) => deleteUnlessKept(db, { credentialId: unused, batchId })),
    ];
    if (event === null) {
      await commit(env.DB, change);
      continue;
    }
    const id = await derivedId(event.type, batchId, event.type === COMPLETED ? "" : revision);
    const announced = {
      id,
      workspaceId,
      type: event.type,
      objectId: batchId,
      occurredAtMs: atMs,
      data: dataOf(batch, payload),
    };
    const { wake } = await commitWithEvents(env, change, [{ event: announced, onlyIf: sql`TRUE` }]);
    batch.runtime.after(wake());
  }
}

/** Those that the batch needs no more: replaced ones, and its own when it has ended. */
function unusedCredentials({ credentialId, formerCredentialId, completedAtMs }: BatchMessage["payload"]): string[] {
  return [formerCredentialId, completedAtMs === null ? null : credentialId].filter((id) => id !== null);
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

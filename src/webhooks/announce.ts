/**
 * How an event comes into the world: in one commit with the change it tells of, together with a delivery for each webhook that
 * wants it. Then the senders are woken, at once and through the queue; if all of that is lost, the cron finds what is due.
 */
import { type SQL, sql } from "drizzle-orm";
import { commit, type Database, openDatabase, type Statement } from "../database.ts";
import type { Env } from "../env.ts";
import { insertEvent, type NewEvent } from "../events/index.ts";
import { log } from "../http/log.ts";
import { deliveries, webhooks } from "./tables.ts";
import { wakeSenderSoon } from "./wake.ts";

export interface Announcement {
  event: NewEvent;
  /** Asked after the statements of the commit; `changes() > 0`: has the last of them done anything? Absent = yes, always. */
  onlyIf?: SQL;
  /** The webhook that the event tells of: it does not get it. */
  exceptWebhookId?: string;
}

/** A delivery for every webhook that wants the event; nothing when the statement before has inserted no event. */
export function fanOut(db: Database, eventId: string, exceptWebhookId = "") {
  return db.all<{ webhookId: string; status: string }>(sql`
    INSERT INTO ${deliveries} (event_id, webhook_id, workspace_id, type, naming, status, last_failure, next_attempt_at, created_at, finished_at)
    SELECT event.id, webhook.id, event.workspace_id, event.type, webhook.naming,
      CASE WHEN webhook.disabled_reason IS NULL THEN 'pending' ELSE 'failed' END,
      CASE WHEN webhook.disabled_reason IS NULL THEN NULL ELSE 'webhook_disabled' END,
      CASE WHEN webhook.disabled_reason IS NULL THEN now.ms END, now.ms,
      CASE WHEN webhook.disabled_reason IS NULL THEN NULL ELSE now.ms END
    FROM (SELECT ${Date.now()} AS ms) AS now, events AS event
      JOIN ${webhooks} AS webhook ON webhook.workspace_id = event.workspace_id
    WHERE changes() > 0 AND event.id = ${eventId} AND webhook.id <> ${exceptWebhookId}
      AND webhook.deleted_at IS NULL AND webhook.enabled
      AND (webhook.matched_types IS NULL
        OR EXISTS (SELECT 1 FROM json_each(webhook.matched_types) AS wanted WHERE wanted.value = event.type))
    ON CONFLICT DO NOTHING
    RETURNING webhook_id AS webhookId, status`);
}

/** What a commit with events came to. */
export interface Committed {
  /** For each event: was it new? */
  isNew: boolean[];
  /** Sends what is due. Never throws: what does not work here, the queue or the cron do. */
  wake(): Promise<void>;
}

/** Commits a change and its events. The caller runs `wake` after its answer. */
export async function commitWithEvents(
  env: Env,
  change: Statement[],
  announcements: Announcement[],
): Promise<Committed> {
  const db = openDatabase(env.DB);
  const statements = announcements.flatMap(({ event, onlyIf, exceptWebhookId }) => [
    insertEvent(db, event, onlyIf),
    fanOut(db, event.id, exceptWebhookId),
  ]);
  const results = await commit(env.DB, [...change, ...statements]);
  const isNew: boolean[] = [];
  const woken = new Map<string, string[]>(); // event → webhooks
  for (const [index, { event }] of announcements.entries()) {
    const [inserted, fannedOut] = results.slice(change.length + 2 * index);
    const isInserted = inserted!.meta.changes > 0;
    isNew.push(isInserted);
    const rows = fannedOut!.results as { webhookId: string; status: string }[];
    const due = rows.filter(({ status }) => status === "pending").map(({ webhookId }) => webhookId);
    if (isInserted)
      log("event.announced", { eventId: event.id, type: event.type, objectId: event.objectId, webhooks: due.length });
    if (due.length > 0) woken.set(event.id, due);
  }
  return { isNew, wake: () => wakeFor(env, woken) };
}

/** At once, and once more through the queue: a message there survives what happens to this process. */
async function wakeFor(env: Env, woken: Map<string, string[]>): Promise<void> {
  const messages = [...woken].map(([eventId, webhookIds]) => ({ body: { eventId, webhookIds } }));
  if (messages.length === 0) return;
  const queued = (
    messages.length === 1 ? env.DELIVERIES.send(messages[0]!.body) : env.DELIVERIES.sendBatch(messages)
  ).catch((error: unknown) => log("delivery.not_queued", { events: messages.length, error: String(error) }));
  const webhookIds = new Set([...woken.values()].flat());
  await Promise.all([queued, ...[...webhookIds].map((id) => wakeSenderSoon(env, id))]);
}

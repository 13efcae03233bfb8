/**
 * Creates events. An event is committed together with the change that it announces and with a delivery for each webhook that subscribes
 * to it. Then the senders are woken directly and through the queue. If both are lost, the cron finds the deliveries that are due.
 */
import { type SQL, sql } from "drizzle-orm";
import { commit, type Database, openDatabase, type Statement } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { insertEvent, kindOf, type NewEvent } from "../index.ts";
import { log } from "../../platform/log.ts";
import { enqueueDeliveries } from "./delivery-messages.ts";
import { redactEvent } from "./redact-event.ts";
import type { DueDelivery } from "./sender/due.ts";
import { deliveries, webhooks } from "./tables.ts";
import { wakeSenderUnlessPending } from "./wake.ts";

export interface Announcement {
  event: NewEvent;
  /** Condition for creating the event, evaluated after the change. `changes() > 0` = the change's last statement had an effect. */
  onlyIf?: SQL;
  /** The webhook that the event is about, which does not get it. */
  exceptWebhookId?: string;
  /** Another event with the same `video` name: a webhook with `naming: "video"` that gets that one does not get this one too. */
  twinId?: string;
}

interface FannedOut {
  webhookId: string;
  status: string;
  naming: "service" | "video";
  createdAtMs: number;
}

/** Inserts a delivery for each webhook that subscribes to the event; none if the preceding statement inserted no event. */
function fanOut(db: Database, eventId: string, exceptWebhookId = "", twinId = "") {
  return db.all<FannedOut>(sql`
    INSERT INTO ${deliveries} (event_id, webhook_id, workspace_id, type, naming, status, last_failure, next_attempt_at, created_at, finished_at)
    SELECT event.id, webhook.id, event.workspace_id, event.type, webhook.naming,
      CASE WHEN webhook.disabled_reason IS NULL THEN 'pending' ELSE 'failed' END,
      CASE WHEN webhook.disabled_reason IS NULL THEN NULL ELSE 'webhook_disabled' END,
      CASE WHEN webhook.disabled_reason IS NULL THEN now.ms END, now.ms,
      CASE WHEN webhook.disabled_reason IS NULL THEN NULL ELSE now.ms END
    FROM (SELECT ${Date.now()} AS ms) AS now, events AS event
      JOIN ${webhooks} AS webhook ON webhook.workspace_id = event.workspace_id
    WHERE changes() > 0 AND event.id = ${eventId} AND webhook.id <> ${exceptWebhookId}
      AND NOT (webhook.naming = 'video'
        AND EXISTS (SELECT 1 FROM ${deliveries} AS twin WHERE twin.event_id = ${twinId} AND twin.webhook_id = webhook.id))
      AND webhook.deleted_at IS NULL AND webhook.enabled
      AND (webhook.matched_types IS NULL
        OR EXISTS (SELECT 1 FROM json_each(webhook.matched_types) AS wanted WHERE wanted.value = event.type))
    ON CONFLICT DO NOTHING
    RETURNING webhook_id AS webhookId, status, naming, created_at AS createdAtMs`);
}

/** The result of a commit with events. */
export interface Committed {
  /** For each announcement, whether its event was inserted by this commit. */
  isNew: boolean[];
  /** Wakes the senders, directly and through the queue. Never throws: the cron makes up for what fails. */
  wake: () => Promise<void>;
}

/** Commits a change and its events. The caller runs `wake` after its response. */
export async function commitWithEvents(
  env: Env,
  change: Statement[],
  announcements: Announcement[],
): Promise<Committed> {
  const db = openDatabase(env.DB);
  const redacted = await Promise.all(
    announcements.map(async (announcement) => ({ ...announcement, event: await redactEvent(env, announcement.event) })),
  );
  const statements = redacted.flatMap(({ event, onlyIf, exceptWebhookId, twinId }) => [
    insertEvent(db, event, onlyIf),
    fanOut(db, event.id, exceptWebhookId, twinId),
  ]);
  const results = await commit(env.DB, [...change, ...statements]);
  const isNew: boolean[] = [];
  const inserted: InsertedEvent[] = [];
  for (const [index, { event }] of redacted.entries()) {
    const [insertion, fannedOut] = results.slice(change.length + 2 * index);
    const [row] = insertion!.results as { body: string }[];
    isNew.push(row !== undefined);
    if (row === undefined) continue;
    const due = (fannedOut!.results as FannedOut[]).filter(({ status }) => status === "pending");
    log("event.announced", { eventId: event.id, type: event.type, objectId: event.objectId, webhooks: due.length });
    if (due.length > 0) inserted.push({ event, body: row.body, due });
  }
  return { isNew, wake: () => wakeSenders(env, inserted) };
}

interface InsertedEvent {
  event: NewEvent;
  body: string;
  due: FannedOut[];
}

const ENQUEUE_AFTER_MS = 50;
/** Of a larger commit, the senders read the deliveries from D1 instead of getting them with the call. */
const MAX_EVENTS_IN_CALL = 10;

/** Directly, and again through the queue, whose messages survive this process. */
async function wakeSenders(env: Env, inserted: InsertedEvent[]): Promise<void> {
  if (inserted.length === 0) return;
  const announced = new Map<string, DueDelivery[]>(); // webhook → deliveries
  for (const { event, body, due } of inserted)
    for (const { webhookId, naming, createdAtMs } of due) {
      const others = announced.get(webhookId) ?? [];
      const { type, videoType } = kindOf(event.type);
      const fresh = { attempts: 0, tries: 0, firstTriedAtMs: null, nextAttemptAtMs: createdAtMs };
      announced.set(webhookId, [
        ...others,
        { eventId: event.id, type, videoType, body, sealedData: event.sealedData ?? null, naming, ...fresh },
      ]);
    }
  const isInCall = inserted.length <= MAX_EVENTS_IN_CALL;
  const calls = [...announced].map(([id, deliveries]) => wakeSenderUnlessPending(env, id, isInCall ? deliveries : []));
  // The senders go first: sending to the queue takes CPU time of this isolate and would delay the first attempt.
  await Promise.race([Promise.all(calls), new Promise((done) => setTimeout(done, ENQUEUE_AFTER_MS))]);
  const messages = inserted.map(({ event, due }) => ({
    eventId: event.id,
    webhookIds: due.map(({ webhookId }) => webhookId),
    delaySeconds: 0,
  }));
  await Promise.all([...calls, enqueueDeliveries(env, messages)]);
}

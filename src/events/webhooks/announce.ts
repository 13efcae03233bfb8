/**
 * How an event comes into the world: in one commit with the change it tells of, together with a delivery for each webhook that
 * wants it. Then the senders are woken, at once and through the queue; if all of that is lost, the cron finds what is due.
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
  /** Asked after the statements of the commit; `changes() > 0`: has the last of them done anything? Absent = yes, always. */
  onlyIf?: SQL;
  /** The webhook that the event tells of: it does not get it. */
  exceptWebhookId?: string;
  /** An event that has the same name for published receivers: who gets that one by this name gets it once. */
  twinId?: string;
}

interface FannedOut {
  webhookId: string;
  status: string;
  naming: "service" | "video";
  createdAtMs: number;
}

/** A delivery for every webhook that wants the event; nothing when the statement before has inserted no event. */
export function fanOut(db: Database, eventId: string, exceptWebhookId = "", twinId = "") {
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

/** What a commit with events came to. */
export interface Committed {
  /** For each event: was it new? */
  isNew: boolean[];
  /** Sends what is due. Never throws: what does not work here, the queue or the cron do. */
  wake: () => Promise<void>;
}

/** Commits a change and its events. The caller runs `wake` after its answer. */
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
  const born: Born[] = [];
  for (const [index, { event }] of redacted.entries()) {
    const [inserted, fannedOut] = results.slice(change.length + 2 * index);
    const [row] = inserted!.results as { body: string }[];
    isNew.push(row !== undefined);
    if (row === undefined) continue;
    const due = (fannedOut!.results as FannedOut[]).filter(({ status }) => status === "pending");
    log("event.announced", { eventId: event.id, type: event.type, objectId: event.objectId, webhooks: due.length });
    if (due.length > 0) born.push({ event, body: row.body, due });
  }
  return { isNew, wake: () => wakeFor(env, born) };
}

interface Born {
  event: NewEvent;
  body: string;
  due: FannedOut[];
}

const ENQUEUE_AFTER_MS = 50;
/** More events at once are left to the senders to fetch. */
const TOLD_AT_ONCE = 10;

/** At once, and once more through the queue: a message there survives what happens to this process. */
async function wakeFor(env: Env, born: Born[]): Promise<void> {
  if (born.length === 0) return;
  const announced = new Map<string, DueDelivery[]>(); // webhook → deliveries
  for (const { event, body, due } of born)
    for (const { webhookId, naming, createdAtMs } of due) {
      const known = announced.get(webhookId) ?? [];
      const { type, videoType } = kindOf(event.type);
      const fresh = { attempts: 0, tries: 0, firstTriedAtMs: null, nextAttemptAtMs: createdAtMs };
      announced.set(webhookId, [
        ...known,
        { eventId: event.id, type, videoType, body, sealedData: event.sealedData ?? null, naming, ...fresh },
      ]);
    }
  const told = born.length <= TOLD_AT_ONCE;
  const calls = [...announced].map(([id, deliveries]) => wakeSenderUnlessPending(env, id, told ? deliveries : []));
  // The queue after the senders: what is handed over there costs this process time that the first byte would wait for.
  await Promise.race([Promise.all(calls), new Promise((done) => setTimeout(done, ENQUEUE_AFTER_MS))]);
  const messages = born.map(({ event, due }) => ({
    eventId: event.id,
    webhookIds: due.map(({ webhookId }) => webhookId),
    delaySeconds: 0,
  }));
  await Promise.all([...calls, enqueueDeliveries(env, messages)]);
}

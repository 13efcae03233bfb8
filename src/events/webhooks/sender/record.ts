import { sql } from "drizzle-orm";
import { openDatabase } from "../../../platform/database.ts";
import type { Env } from "../../../platform/env.ts";
import { toTimestamp } from "../../../platform/timestamp.ts";
import { type Announcement, commitWithEvents } from "../announce.ts";
import { enqueueDeliveries } from "../delivery-messages.ts";
import { DELIVERY_FAILURES, type DeliveryFailure } from "../failures.ts";
import { deliveries, deliveryAttempts, webhooks } from "../tables.ts";
import type { SettledAttempt } from "./outcome.ts";
import { retryMessages } from "./retries.ts";
import type { Target } from "./target.ts";

/**
 * Writes the outcomes of attempts to D1 in one commit with the events that follow from them. Idempotent.
 *
 * @returns `publish`, to be run after the commit: enqueues the retries and wakes the senders of the events. It never throws.
 */
export async function recordSettled(
  env: Env,
  target: Target,
  settled: SettledAttempt[],
  failingSinceMs: number | null,
): Promise<{ publish: () => Promise<void> }> {
  const db = openDatabase(env.DB);
  const json = JSON.stringify(settled);
  const last = settled.at(-1);
  if (last === undefined) return { publish: async () => undefined };
  const field = (name: string) => sql.raw(`json_extract(value, '$.${name}')`);
  const changes = [
    // Materialised, because SQLite would otherwise parse the JSON once for each pending delivery.
    db.run(sql`
      WITH outcome AS MATERIALIZED (
        SELECT ${field("eventId")} AS event_id, ${field("next")} AS next, ${field("number")} AS number, ${field("tries")} AS tries,
          ${field("firstTriedAtMs")} AS first_tried_at, ${field("nextAttemptAtMs")} AS next_attempt_at,
          ${field("failure")} AS failure, ${field("endedAtMs")} AS ended_at FROM json_each(${json}))
      UPDATE ${deliveries} SET status = outcome.next, attempts = outcome.number, tries = outcome.tries,
        first_tried_at = outcome.first_tried_at, next_attempt_at = outcome.next_attempt_at, last_failure = outcome.failure,
        finished_at = CASE WHEN outcome.next = 'pending' THEN NULL ELSE outcome.ended_at END
      FROM outcome
      WHERE ${deliveries}.event_id = outcome.event_id AND ${deliveries}.webhook_id = ${target.webhookId}
        AND ${deliveries}.status = 'pending' AND ${deliveries}.attempts < outcome.number`),
    db.run(sql`
      INSERT INTO ${deliveryAttempts} (event_id, webhook_id, number, started_at, duration_ms, status, failure, detail, response_head)
      SELECT ${field("eventId")}, ${target.webhookId}, ${field("number")}, ${field("startedAtMs")}, ${field("durationMs")},
        ${field("status")}, ${field("failure")}, ${field("detail")}, ${field("responseHead")}
      FROM json_each(${json}) WHERE true ON CONFLICT DO NOTHING`),
    db.run(sql`
      UPDATE ${webhooks} SET failing_since = ${failingSinceMs}, last_attempt_at = ${last.startedAtMs},
        last_status = ${last.status}, last_failure = ${last.failure}
      WHERE id = ${target.webhookId}`),
  ];
  const { wake } = await commitWithEvents(
    env,
    changes,
    settled.flatMap((one) => exhausted(target, one)),
  );
  const retries = retryMessages(target.webhookId, settled, Date.now());
  return { publish: async () => void (await Promise.all([wake(), enqueueDeliveries(env, retries)])) };
}

/** Events about webhooks produce no further events; otherwise two failing endpoints would notify each other forever. */
function exhausted(target: Target, settled: SettledAttempt): Announcement[] {
  if (settled.exhaustedEventId === null || settled.eventType.startsWith("webhook.")) return [];
  const data = {
    webhookId: target.webhookId,
    url: target.url,
    eventId: settled.eventId,
    eventType: settled.eventType,
    attempts: settled.number,
    lastFailure: lastFailure(settled),
    firstAttemptAt: toTimestamp(new Date(settled.firstTriedAtMs)),
    lastAttemptAt: toTimestamp(new Date(settled.startedAtMs)),
  };
  const event = {
    id: settled.exhaustedEventId,
    workspaceId: target.workspaceId,
    type: "webhook.delivery.exhausted",
    objectId: target.webhookId,
    occurredAtMs: settled.endedAtMs,
    data,
  };
  return [{ event, exceptWebhookId: target.webhookId }];
}

const lastFailure = ({ failure, status }: SettledAttempt) => ({
  reason: failure ?? "",
  message: DELIVERY_FAILURES[failure as DeliveryFailure]?.message ?? "",
  status,
});

/** Disables a webhook. Its pending deliveries become `failed` and can be recovered, and the other webhooks get `webhook.disabled`. */
export async function disable(
  env: Env,
  target: Target,
  reason: "gone" | "failing_for_five_days",
  failingSinceMs: number | null,
  nowMs: number,
): Promise<{ wake: () => Promise<void> }> {
  const db = openDatabase(env.DB);
  const change = [
    db.run(sql`
      UPDATE ${deliveries} SET status = 'failed', last_failure = 'webhook_disabled', next_attempt_at = NULL, finished_at = ${nowMs}
      WHERE webhook_id = ${target.webhookId} AND status = 'pending'`),
    db.run(sql`
      UPDATE ${webhooks} SET disabled_reason = ${reason}, disabled_at = ${nowMs}, updated_at = ${nowMs}
      WHERE id = ${target.webhookId} AND disabled_reason IS NULL`),
  ];
  const data = {
    webhookId: target.webhookId,
    url: target.url,
    reason,
    message: DISABLED_BECAUSE[reason],
    failingSince: toTimestamp(new Date(failingSinceMs ?? nowMs)),
    disabledAt: toTimestamp(new Date(nowMs)),
  };
  const event = {
    id: crypto.randomUUID(),
    workspaceId: target.workspaceId,
    type: "webhook.disabled",
    objectId: target.webhookId,
    occurredAtMs: nowMs,
    data,
  };
  return await commitWithEvents(env, change, [
    { event, onlyIf: sql`changes() > 0`, exceptWebhookId: target.webhookId },
  ]);
}

export const DISABLED_BECAUSE: Record<EndpointDisabled, string> = {
  gone: "The endpoint answered 410 Gone: it accepts no more events.",
  failing_for_five_days: "Every attempt for five days has failed.",
};
type EndpointDisabled = NonNullable<typeof webhooks.$inferSelect.disabledReason>;

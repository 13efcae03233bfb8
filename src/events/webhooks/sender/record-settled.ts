import { sql } from "drizzle-orm";
import { openDatabase } from "../../../platform/database.ts";
import type { Env } from "../../../platform/env.ts";
import { type Announcement, commitWithEvents } from "../fan-out/commit-with-events.ts";
import { enqueueDeliveries } from "../fan-out/delivery-messages.ts";
import { announceExhausted } from "../fan-out/exhausted-delivery.ts";
import { deliveries, deliveryAttempts, webhooks } from "../records/tables.ts";
import type { SettledAttempt } from "./settled-attempt.ts";
import { retryMessages } from "./retries.ts";
import type { Target } from "../attempt/target.ts";

/** Attempts that an earlier release journaled have no schedule. */
const IS_OF_SCHEDULE = "deliveries.schedule = IFNULL(outcome.schedule, deliveries.schedule)";
/** What an outcome decides, unless a redelivery has begun a new schedule since the attempt began: that one stays due. */
const OUTCOME_OF_SCHEDULE = Object.entries({
  status: "outcome.next",
  tries: "outcome.tries",
  first_tried_at: "outcome.first_tried_at",
  next_attempt_at: "outcome.next_attempt_at",
  last_failure: "outcome.failure",
  finished_at: "CASE WHEN outcome.next = 'pending' THEN NULL ELSE outcome.ended_at END",
})
  .map(([column, value]) => `${column} = CASE WHEN ${IS_OF_SCHEDULE} THEN ${value} ELSE deliveries.${column} END`)
  .join(", ");

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
        SELECT ${field("eventId")} AS event_id, ${field("next")} AS next, ${field("number")} AS number, ${field("schedule")} AS schedule, ${field("tries")} AS tries,
          ${field("firstTriedAtMs")} AS first_tried_at, ${field("nextAttemptAtMs")} AS next_attempt_at,
          ${field("failure")} AS failure, ${field("endedAtMs")} AS ended_at FROM json_each(${json}))
      UPDATE ${deliveries} SET attempts = outcome.number, ${sql.raw(OUTCOME_OF_SCHEDULE)}
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

function exhausted(target: Target, settled: SettledAttempt): Announcement[] {
  if (settled.exhaustedEventId === null) return [];
  const announcements = announceExhausted(target, {
    id: settled.exhaustedEventId,
    atMs: settled.endedAtMs,
    eventId: settled.eventId,
    eventType: settled.eventType,
    attempts: settled.number,
    lastFailure: settled.failure ?? "",
    lastStatus: settled.status,
    firstAttemptAtMs: settled.firstTriedAtMs,
    lastAttemptAtMs: settled.startedAtMs,
  });
  // A redelivery that was requested meanwhile goes on.
  const onlyIf = sql`EXISTS (SELECT 1 FROM ${deliveries} WHERE event_id = ${settled.eventId}
    AND webhook_id = ${target.webhookId} AND status = 'failed' AND attempts = ${settled.number})`;
  return announcements.map((announcement) => ({ ...announcement, onlyIf }));
}

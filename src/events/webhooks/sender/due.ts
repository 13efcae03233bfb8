import type { Env } from "../../../platform/env.ts";
import type { DueDelivery } from "../fan-out/due-delivery.ts";

/** The last delivery of a fetch; the next fetch continues after it. */
export type DueCursor = Pick<DueDelivery, "nextAttemptAtMs" | "eventId">;

const COLUMNS = `d.event_id AS eventId, e.type, e.video_type AS videoType, e.body, e.sealed_data AS sealedData, d.naming, d.attempts, d.schedule, d.tries, d.first_tried_at AS firstTriedAtMs,
  d.next_attempt_at AS nextAttemptAtMs`;

/** The deliveries that have been due longest, after the cursor. */
export async function findDue(
  env: Env,
  webhookId: string,
  { after, nowMs, limit }: { after: DueCursor | null; nowMs: number; limit: number },
): Promise<DueDelivery[]> {
  const { results } = await env.DB.prepare(
    `SELECT ${COLUMNS} FROM deliveries d JOIN events e ON e.id = d.event_id
     WHERE d.webhook_id = ? AND d.status = 'pending' AND d.next_attempt_at <= ?
       AND (d.next_attempt_at, d.event_id) > (?, ?)
     ORDER BY d.next_attempt_at, d.event_id LIMIT ?`,
  )
    .bind(webhookId, nowMs, after?.nextAttemptAtMs ?? 0, after?.eventId ?? "", limit)
    .all<DueDelivery>();
  return results;
}

/** Deliveries by their events, due or not: for attempts that a restart has interrupted. */
export async function findPending(env: Env, webhookId: string, eventIds: string[]): Promise<DueDelivery[]> {
  const { results } = await env.DB.prepare(
    `SELECT ${COLUMNS} FROM deliveries d JOIN events e ON e.id = d.event_id
     WHERE d.webhook_id = ? AND d.event_id IN (SELECT value FROM json_each(?))`,
  )
    .bind(webhookId, JSON.stringify(eventIds))
    .all<DueDelivery>();
  return results;
}

/** When the next delivery is due, epoch ms; null = none is pending. */
export async function nextDueAt(env: Env, webhookId: string): Promise<number | null> {
  const row = await env.DB.prepare(
    `SELECT d.next_attempt_at AS at FROM deliveries d JOIN events e ON e.id = d.event_id
     WHERE d.webhook_id = ? AND d.status = 'pending' AND d.next_attempt_at IS NOT NULL
     ORDER BY d.next_attempt_at LIMIT 1`,
  )
    .bind(webhookId)
    .first<{ at: number | null }>();
  return row?.at ?? null;
}

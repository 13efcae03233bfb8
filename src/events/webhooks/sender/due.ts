import type { Env } from "../../../platform/env.ts";

/** A delivery whose time has come, with what is to be sent. */
export interface DueDelivery {
  eventId: string;
  type: string;
  videoType: string;
  body: string;
  /** See `events.sealedData`. */
  sealedData: string | null;
  naming: "service" | "video";
  attempts: number; // made so far
  tries: number; // of the schedule that runs now
  firstTriedAtMs: number | null;
  nextAttemptAtMs: number;
}

/** Where a fetch ended; the next one goes on behind it. */
export type DuePlace = Pick<DueDelivery, "nextAttemptAtMs" | "eventId">;

const COLUMNS = `d.event_id AS eventId, e.type, e.video_type AS videoType, e.body, e.sealed_data AS sealedData, d.naming, d.attempts, d.tries, d.first_tried_at AS firstTriedAtMs,
  d.next_attempt_at AS nextAttemptAtMs`;

/** The deliveries that are due longest, behind a place. */
export async function findDue(
  env: Env,
  webhookId: string,
  { after, nowMs, limit }: { after: DuePlace | null; nowMs: number; limit: number },
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

/** The same whether or not they are due: for attempts that were cut off. */
export async function findPending(env: Env, webhookId: string, eventIds: string[]): Promise<DueDelivery[]> {
  const { results } = await env.DB.prepare(
    `SELECT ${COLUMNS} FROM deliveries d JOIN events e ON e.id = d.event_id
     WHERE d.webhook_id = ? AND d.event_id IN (SELECT value FROM json_each(?))`,
  )
    .bind(webhookId, JSON.stringify(eventIds))
    .all<DueDelivery>();
  return results;
}

/** When the next delivery is due, epoch ms; null when none waits. */
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

import type { Env } from "../../../platform/env.ts";
import { log } from "../../../platform/log.ts";
import { wakeSender } from "../fan-out/call-sender.ts";

/** A delivery that has been due for longer may have lost its message and its alarm. */
const LATE_MS = 5000;
const MAX_WEBHOOKS = 200;

/** Wakes the senders of late deliveries. A sender that is merely slow ignores the call. */
export async function sweepDeliveries(env: Env, now: Date): Promise<void> {
  const { results } = await env.DB.prepare(
    `SELECT DISTINCT d.webhook_id AS id FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id
     WHERE d.status = 'pending' AND d.next_attempt_at < ?
       AND w.enabled AND w.disabled_reason IS NULL AND w.deleted_at IS NULL
     LIMIT ?`,
  )
    .bind(now.getTime() - LATE_MS, MAX_WEBHOOKS)
    .all<{ id: string }>();
  if (results.length > 0) log("deliveries.swept", { webhooks: results.length });
  await Promise.all(results.map(({ id }) => wakeSender(env, id)));
}

import { sql } from "drizzle-orm";
import { openDatabase } from "../../../platform/database.ts";
import type { Env } from "../../../platform/env.ts";
import { errorFields, logWarning } from "../../../platform/log.ts";
import { commitWithEvents } from "../fan-out/commit-with-events.ts";
import { DeliveryMessage } from "../fan-out/delivery-messages.ts";
import { announceExhausted } from "../fan-out/exhausted-delivery.ts";
import { deliveries } from "../records/tables.ts";

/**
 * Consumes messages whose senders could not be woken in any retry. A delivery that was never attempted ends as `failed`, with an
 * event for the other webhooks. A retry stays pending: its sender's alarm and the cron still reach it.
 */
export async function consumeDeadDeliveries(env: Env, batch: MessageBatch): Promise<void> {
  await Promise.all(
    batch.messages.map(async (message) => {
      const parsed = DeliveryMessage.safeParse(message.body);
      if (!parsed.success) return message.ack();
      try {
        for (const webhookId of parsed.data.webhookIds) await giveUp(env, parsed.data.eventId, webhookId);
        message.ack();
      } catch (error) {
        logWarning("delivery.dead_letter_failed", { messageId: message.id, ...errorFields(error) });
        message.retry();
      }
    }),
  );
}

async function giveUp(env: Env, eventId: string, webhookId: string): Promise<void> {
  const nowMs = Date.now();
  const found = await env.DB.prepare(
    `SELECT d.workspace_id AS workspaceId, d.type, w.url FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id
     WHERE d.event_id = ? AND d.webhook_id = ? AND d.status = 'pending' AND d.attempts = 0`,
  )
    .bind(eventId, webhookId)
    .first<{ workspaceId: string; type: string; url: string }>();
  if (found === null) return;
  const change = openDatabase(env.DB).run(sql`
    UPDATE ${deliveries} SET status = 'failed', last_failure = 'not_handed_over', next_attempt_at = NULL, finished_at = ${nowMs}
    WHERE event_id = ${eventId} AND webhook_id = ${webhookId} AND status = 'pending' AND attempts = 0`);
  const announcements = announceExhausted(
    { webhookId, ...found },
    {
      id: crypto.randomUUID(),
      atMs: nowMs,
      eventId,
      eventType: found.type,
      attempts: 0,
      lastFailure: "not_handed_over",
      lastStatus: null,
      firstAttemptAtMs: null,
      lastAttemptAtMs: null,
    },
  );
  const { wake } = await commitWithEvents(
    env,
    [change],
    announcements.map((announcement) => ({ ...announcement, onlyIf: sql`changes() > 0` })),
  );
  await wake();
  logWarning("delivery.given_up", { eventId, webhookId });
}

import { sql } from "drizzle-orm";
import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { log, logWarning } from "../../platform/log.ts";
import { commitWithEvents } from "./announce.ts";
import { DeliveryMessage } from "./delivery-messages.ts";
import { DELIVERY_FAILURES } from "./failures.ts";
import { deliveries } from "./tables.ts";
import { wakeSender } from "./wake.ts";

/**
 * Wakes the senders that each message names, for a new event or for a retry. The senders read from D1 what is due, so a repeated or
 * stale message sends nothing. A message is acknowledged once all of its own senders have taken the call.
 */
export async function consumeDeliveries(env: Env, batch: MessageBatch): Promise<void> {
  const calls = new Map<string, Promise<boolean>>(); // a sender is woken once for the whole batch
  const wake = (webhookId: string) => {
    const call = calls.get(webhookId) ?? wakeSender(env, webhookId);
    calls.set(webhookId, call);
    return call;
  };
  await Promise.all(
    batch.messages.map(async (message) => {
      const parsed = DeliveryMessage.safeParse(message.body);
      if (!parsed.success) {
        log("delivery.message_invalid", { messageId: message.id });
        return message.ack(); // a retry would not repair it
      }
      const isWoken = (await Promise.all(parsed.data.webhookIds.map(wake))).every(Boolean);
      if (isWoken) message.ack();
      else message.retry();
    }),
  );
}

/**
 * Messages whose senders could not be woken in any of their retries. A delivery that was never attempted ends as `failed`, with an
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
        logWarning("delivery.dead_letter_failed", { messageId: message.id, error: String(error) });
        message.retry();
      }
    }),
  );
}

async function giveUp(env: Env, eventId: string, webhookId: string): Promise<void> {
  const nowMs = Date.now();
  const found = await env.DB.prepare(
    "SELECT d.workspace_id AS workspaceId, d.type, w.url FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id WHERE d.event_id = ? AND d.webhook_id = ? AND d.status = 'pending' AND d.attempts = 0",
  )
    .bind(eventId, webhookId)
    .first<{ workspaceId: string; type: string; url: string }>();
  if (found === null) return;
  const change = openDatabase(env.DB).run(sql`
    UPDATE ${deliveries} SET status = 'failed', last_failure = 'not_handed_over', next_attempt_at = NULL, finished_at = ${nowMs}
    WHERE event_id = ${eventId} AND webhook_id = ${webhookId} AND status = 'pending' AND attempts = 0`);
  const event = {
    id: crypto.randomUUID(),
    workspaceId: found.workspaceId,
    type: "webhook.delivery.exhausted",
    objectId: webhookId,
    occurredAtMs: nowMs,
    data: {
      webhookId,
      url: found.url,
      eventId,
      eventType: found.type,
      attempts: 0,
      lastFailure: { reason: "not_handed_over", message: DELIVERY_FAILURES.not_handed_over.message, status: null },
      firstAttemptAt: null,
      lastAttemptAt: null,
    },
  };
  const isOperational = found.type.startsWith("webhook.");
  const { wake } = await commitWithEvents(
    env,
    [change],
    isOperational ? [] : [{ event, onlyIf: sql`changes() > 0`, exceptWebhookId: webhookId }],
  );
  await wake();
  logWarning("delivery.given_up", { eventId, webhookId });
}

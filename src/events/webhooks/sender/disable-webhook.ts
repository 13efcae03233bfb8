import { sql } from "drizzle-orm";
import { openDatabase } from "../../../platform/database.ts";
import type { Env } from "../../../platform/env.ts";
import { toTimestamp } from "../../../platform/timestamp.ts";
import type { Target } from "../attempt/target.ts";
import { type Committed, commitWithEvents } from "../fan-out/commit-with-events.ts";
import { DISABLED_MESSAGES, type DisabledReason } from "../records/disabled-reasons.ts";
import { deliveries, webhooks } from "../records/tables.ts";

/** Disables a webhook. Its pending deliveries become `failed` and can be recovered, and the other webhooks get `webhook.disabled`. */
export async function disableWebhook(
  env: Env,
  target: Target,
  reason: DisabledReason,
  failingSinceMs: number | null,
  nowMs: number,
): Promise<Committed> {
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
    message: DISABLED_MESSAGES[reason],
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

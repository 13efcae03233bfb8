import { sql } from "drizzle-orm";
import { openDatabase } from "../../../platform/database.ts";
import type { Env } from "../../../platform/env.ts";
import { findEvent } from "../../index.ts";
import { log } from "../../../platform/log.ts";
import { orNotFound, Problem } from "../../../platform/http/problems.ts";
import { findWebhook, type Webhook } from "../endpoints/repository.ts";
import { wakeSender } from "../fan-out/call-sender.ts";
import { DISABLED_MESSAGES } from "../records/disabled-reasons.ts";
import { deliveries, webhooks } from "../records/tables.ts";

/**
 * Sends an event again with the same id and bytes: to one webhook, or to all that have a delivery of it or subscribe to its type now. An
 * existing delivery starts a new retry schedule, keeps its naming and continues to count its attempts. While an attempt of it is under way, the
 * event is sent again after that attempt, whatever its outcome. A webhook that the service has disabled is left out.
 *
 * @param webhookId null = all of these webhooks
 * @param after runs work after the response
 * @returns the webhooks that will get it
 * @throws {Problem} event_not_found, webhook_not_found, webhook_disabled
 */
export async function redeliver(
  env: Env,
  { workspaceId, eventId }: { workspaceId: string; eventId: string },
  webhookId: string | null,
  now: Date,
  after: (work: Promise<unknown>) => void,
): Promise<string[]> {
  const db = openDatabase(env.DB);
  const event = await findEvent(db, eventId);
  if (event?.workspaceId !== workspaceId) throw new Problem("event_not_found", "no event has this id");
  const hasDelivery = sql`EXISTS (SELECT 1 FROM ${deliveries} AS past WHERE past.event_id = event.id AND past.webhook_id = webhook.id)`;
  const subscribes = sql`NOT event.is_test AND webhook.enabled AND (webhook.matched_types IS NULL
    OR EXISTS (SELECT 1 FROM json_each(webhook.matched_types) AS wanted WHERE wanted.value = event.type))`;
  const rows = await db.all<{ webhookId: string }>(sql`
    INSERT INTO ${deliveries} (event_id, webhook_id, workspace_id, type, naming, status, next_attempt_at, created_at)
    SELECT event.id, webhook.id, event.workspace_id, event.type, webhook.naming, 'pending', ${now.getTime()}, ${now.getTime()}
    FROM events AS event JOIN ${webhooks} AS webhook ON webhook.workspace_id = event.workspace_id
    WHERE event.id = ${eventId} AND event.workspace_id = ${workspaceId} AND webhook.deleted_at IS NULL
      AND webhook.disabled_reason IS NULL
      AND ${webhookId === null ? sql`(${hasDelivery} OR (${subscribes}))` : sql`webhook.id = ${webhookId}`}
    ON CONFLICT (event_id, webhook_id) DO UPDATE SET status = 'pending', schedule = schedule + 1, tries = 0, first_tried_at = NULL,
      next_attempt_at = excluded.next_attempt_at, finished_at = NULL, last_failure = NULL
    RETURNING webhook_id AS webhookId`);
  const webhookIds = rows.map((row) => row.webhookId).sort();
  if (webhookId !== null && webhookIds.length === 0) requireOpen(await findWebhook(db, { workspaceId, webhookId }));
  log("event.redelivered", { eventId, workspaceId, webhookIds });
  after(Promise.all(webhookIds.map((id) => wakeSender(env, id))));
  return webhookIds;
}

/** @throws {Problem} webhook_not_found, webhook_disabled */
function requireOpen(webhook: Webhook | null): void {
  const { disabledReason } = orNotFound(webhook, "webhook_not_found");
  if (disabledReason === null) return;
  const detail = `${DISABLED_MESSAGES[disabledReason]} Enable it first, with PATCH {"enabled": true}.`;
  throw new Problem("webhook_disabled", detail);
}

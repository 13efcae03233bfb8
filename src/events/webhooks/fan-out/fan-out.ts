import { sql } from "drizzle-orm";
import type { Database } from "../../../platform/database.ts";
import { deliveries, webhooks } from "../records/tables.ts";

/** A delivery that a fan-out has created. */
export interface FannedOut {
  webhookId: string;
  status: string;
  naming: "service" | "video";
  createdAtMs: number;
}

/**
 * A statement that inserts a delivery for each webhook that subscribes to the event. It must follow the statement that inserts the event:
 * if that had no effect, this has none either. A disabled webhook's delivery is created as `failed`, so that it can be recovered.
 */
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
      AND (webhook.object_id IS NULL OR webhook.object_id = event.object_id)
      AND (webhook.matched_types IS NULL
        OR EXISTS (SELECT 1 FROM json_each(webhook.matched_types) AS wanted WHERE wanted.value = event.type))
    ON CONFLICT DO NOTHING
    RETURNING webhook_id AS webhookId, status, naming, created_at AS createdAtMs`);
}

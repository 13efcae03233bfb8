import { sql } from "drizzle-orm";
import { commit, openDatabase } from "../../../platform/database.ts";
import type { Env } from "../../../platform/env.ts";
import { log } from "../../../platform/log.ts";
import { reloadSender } from "../fan-out/call-sender.ts";
import { isWebhook, type WebhookKey } from "./repository.ts";
import { deliveries, webhooks } from "../records/tables.ts";

/**
 * Deletes a webhook. Its pending deliveries are cancelled; the others stay in the logs of their events.
 *
 * @returns null when the webhook does not exist
 */
export async function deleteWebhook(env: Env, key: WebhookKey, now: Date): Promise<"deleted" | null> {
  const db = openDatabase(env.DB);
  const [deleted] = await commit(env.DB, [
    db.update(webhooks).set({ deletedAt: now, updatedAt: now }).where(isWebhook(key)),
    db.run(sql`
      UPDATE ${deliveries} SET status = 'cancelled', next_attempt_at = NULL, finished_at = ${now.getTime()}
      WHERE changes() > 0 AND webhook_id = ${key.webhookId} AND workspace_id = ${key.workspaceId} AND status = 'pending'`),
  ]);
  if (deleted!.meta.changes === 0) return null;
  log("webhook.deleted", { ...key });
  await reloadSender(env, key.webhookId); // the sender then deletes its own state
  return "deleted";
}

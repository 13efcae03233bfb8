import { openDatabase } from "../../../platform/database.ts";
import type { Env } from "../../../platform/env.ts";
import { log } from "../../../platform/log.ts";
import { validationProblem } from "../../../platform/http/validation.ts";
import { allowsPrivateNetwork } from "../../../platform/network/index.ts";
import { findWebhook, isWebhook, typesOf, type Webhook, type WebhookKey } from "./repository.ts";
import { requireAccepting } from "./require-accepting.ts";
import { type UpdateWebhook, urlIssues } from "./schemas.ts";
import { withoutFragment } from "./without-fragment.ts";
import { webhooks } from "../records/tables.ts";
import { resetSender, reloadSender } from "../fan-out/call-sender.ts";

/**
 * Changes a webhook. A new URL is a new endpoint, and an owner who enables a webhook has repaired its endpoint, so both start without a
 * record of failures.
 *
 * @returns null when the webhook does not exist
 * @throws {Problem} validation_failed
 */
export async function updateWebhook(
  env: Env,
  key: WebhookKey,
  body: UpdateWebhook,
  now: Date,
): Promise<Webhook | null> {
  const issues = urlIssues(body, allowsPrivateNetwork(env));
  if (issues.length > 0) throw validationProblem({ issues }, { data: body, schema: null });
  const db = openDatabase(env.DB);
  const seen = await findWebhook(db, key);
  if (seen === null) return null;
  const url = body.url === undefined ? seen.url : withoutFragment(body.url);
  if (url !== seen.url && !body.skipVerification) await requireAccepting(env, url);

  const isFreshStart = url !== seen.url || body.enabled === true;
  const change: Partial<Webhook> = {
    ...(url === seen.url ? {} : { url }),
    ...(body.description === undefined ? {} : { description: body.description || null }),
    ...(body.eventTypes === undefined ? {} : typesOf(body.eventTypes)),
    ...(body.naming === undefined ? {} : { naming: body.naming }),
    ...(body.events?.secrets === undefined ? {} : { eventSecrets: body.events.secrets }),
    ...(body.enabled === undefined ? {} : { enabled: body.enabled }),
    ...(body.enabled === undefined ? {} : { disabledReason: null, disabledAt: null }), // the owner's switch replaces it
    ...(isFreshStart ? { failingSince: null } : {}),
  };
  if (Object.keys(change).length === 0) return seen;
  const [webhook] = await db
    .update(webhooks)
    .set({ ...change, updatedAt: now })
    .where(isWebhook(key))
    .returning();
  if (webhook === undefined) return null; // deleted while its new URL was verified
  log("webhook.updated", { ...key, fields: Object.keys(change) });
  await (isFreshStart ? resetSender : reloadSender)(env, key.webhookId);
  return webhook;
}

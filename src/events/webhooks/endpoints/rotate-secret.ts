import { and, isNull, lte, or, sql } from "drizzle-orm";
import { openDatabase } from "../../../platform/database.ts";
import type { Env } from "../../../platform/env.ts";
import { log } from "../../../platform/log.ts";
import { Problem } from "../../../platform/http/problems.ts";
import { withKeys } from "../../../platform/http/with-keys.ts";
import { toTimestamp } from "../../../platform/timestamp.ts";
import { reloadSender } from "../fan-out/call-sender.ts";
import { findWebhook, isWebhook, type Webhook, type WebhookKey } from "./repository.ts";
import { newSecret, sealSecret } from "../records/secrets.ts";
import { webhooks } from "../records/tables.ts";

/** After a rotation, the previous secret signs in addition to the new one for this long. */
const SECRET_OVERLAP_MS = 24 * 60 * 60 * 1000;

/**
 * Replaces the signing secret. One statement keeps the old one, so that one of two concurrent rotations is refused.
 *
 * @returns the webhook and its new secret; null when there is no such webhook
 * @throws {Problem} secret_rotated_recently, unavailable
 */
export async function rotateSecret(
  env: Env,
  key: WebhookKey,
  now: Date,
): Promise<{ webhook: Webhook; secret: string } | null> {
  const db = openDatabase(env.DB);
  const secret = newSecret();
  const sealed = await withKeys(env, (keys) => sealSecret(keys, key.webhookId, secret));
  const isSettled = or(isNull(webhooks.previousSecretUntil), lte(webhooks.previousSecretUntil, now));
  const [rotated] = await db
    .update(webhooks)
    .set({
      previousSecret: sql`${webhooks.secret}`,
      secret: sealed,
      previousSecretUntil: new Date(now.getTime() + SECRET_OVERLAP_MS),
      updatedAt: now,
    })
    .where(and(isWebhook(key), isSettled))
    .returning();
  if (rotated !== undefined) {
    log("webhook.secret_rotated", { ...key });
    await reloadSender(env, key.webhookId);
    return { webhook: rotated, secret };
  }
  const seen = await findWebhook(db, key);
  if (seen === null) return null;
  const until = toTimestamp(seen.previousSecretUntil ?? now);
  throw new Problem("secret_rotated_recently", `the previous secret signs until ${until}`);
}

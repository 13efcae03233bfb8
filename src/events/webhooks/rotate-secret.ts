import { and, isNull, lte, or, sql } from "drizzle-orm";
import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { log } from "../../platform/log.ts";
import { Problem } from "../../platform/http/problems.ts";
import { toTimestamp } from "../../platform/timestamp.ts";
import { findWebhook, isWebhook, type Webhook, type WebhookKey } from "./repository.ts";
import { newSecret, sealSecret } from "./secrets.ts";
import { webhooks } from "./tables.ts";
import { withKeys } from "../../platform/http/with-keys.ts";

/** After a rotation, the previous secret signs beside the new one for this long. */
const SECRET_OVERLAP_MS = 24 * 60 * 60 * 1000;

/**
 * Replaces the signing secret. One statement keeps the old one, so that one of two concurrent rotations is refused.
 *
 * @returns null when there is no such webhook
 * @throws {Problem} secret_rotated_recently, unavailable
 */
export async function rotateSecret(env: Env, key: WebhookKey, now: Date): Promise<Webhook | null> {
  const db = openDatabase(env.DB);
  const secret = await withKeys(env, (keys) => sealSecret(keys, key.webhookId, newSecret()));
  const isSettled = or(isNull(webhooks.previousSecretUntil), lte(webhooks.previousSecretUntil, now));
  const [rotated] = await db
    .update(webhooks)
    .set({
      previousSecret: sql`${webhooks.secret}`,
      secret,
      previousSecretUntil: new Date(now.getTime() + SECRET_OVERLAP_MS),
      updatedAt: now,
    })
    .where(and(isWebhook(key), isSettled))
    .returning();
  if (rotated !== undefined) {
    log("webhook.secret_rotated", { ...key });
    return rotated;
  }
  const seen = await findWebhook(db, key);
  if (seen === null) return null;
  const until = toTimestamp(seen.previousSecretUntil ?? now);
  throw new Problem("secret_rotated_recently", `the previous secret signs until ${until}`);
}

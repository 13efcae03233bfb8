import { openDatabase } from "../../../platform/database.ts";
import type { Env } from "../../../platform/env.ts";
import { log } from "../../../platform/log.ts";
import { findWebhook, type WebhookKey } from "./repository.ts";
import { openSecret } from "../records/secrets.ts";
import { withKeys } from "../../../platform/http/with-keys.ts";

/** @returns the current secret; null when there is no such webhook. @throws {Problem} unavailable */
export async function revealSecret(env: Env, key: WebhookKey): Promise<string | null> {
  const webhook = await findWebhook(openDatabase(env.DB), key);
  if (webhook === null) return null;
  const secret = await withKeys(env, (keys) => openSecret(keys, key.webhookId, webhook.secret));
  log("webhook.secret_revealed", { ...key });
  return secret;
}

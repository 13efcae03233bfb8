import { openDatabase, type Statement } from "../../../platform/database.ts";
import { eq } from "drizzle-orm";
import type { Database } from "../../../platform/database.ts";
import type { Env } from "../../../platform/env.ts";
import { withKeys } from "../../../platform/http/with-keys.ts";
import { ALL_TYPES } from "../../index.ts";
import { newSecret, sealSecret } from "../records/secrets.ts";
import { webhooks } from "../records/tables.ts";
import { newWebhook } from "./create-webhook.ts";
import { insertObjectWebhook } from "./repository.ts";
import { requireAccepting } from "./require-accepting.ts";

/**
 * A webhook of one object, such as a migration batch: it gets every event of that object, by the same sender and with the same retries as every
 * webhook. Its URL must answer the verification.
 *
 * @param url checked by `webhookUrlIssues`
 * @returns the secret, which is shown once, and the statement for the commit that creates the object
 * @throws {Problem} validation_failed, unavailable
 */
export async function objectWebhook(
  env: Env,
  { workspaceId, objectId, url }: { workspaceId: string; objectId: string; url: string },
  now: Date,
): Promise<{ id: string; secret: string; insert: Statement }> {
  await requireAccepting(env, url);
  const id = crypto.randomUUID();
  const secret = newSecret();
  const sealed = await withKeys(env, (keys) => sealSecret(keys, id, secret));
  const body = {
    url,
    eventTypes: [...ALL_TYPES],
    naming: "service" as const,
    events: { secrets: false },
    enabled: true,
    skipVerification: false,
  };
  const webhook = { ...newWebhook(id, workspaceId, body, sealed, now), objectId };
  return { id, secret, insert: insertObjectWebhook(openDatabase(env.DB), webhook) };
}

/** With its object. The row stays for the log of its deliveries. */
export const deleteObjectWebhooks = (db: Database, objectId: string, now: Date): Statement =>
  db.update(webhooks).set({ deletedAt: now }).where(eq(webhooks.objectId, objectId));

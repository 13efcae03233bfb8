import { and, eq, isNull, ne, or, sql } from "drizzle-orm";
import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { CATALOGUE_VERSION, expandPatterns } from "../index.ts";
import { log, logError } from "../../platform/log.ts";
import { currentKeyId, openSecret, sealSecret } from "./secrets.ts";
import { webhooks } from "./tables.ts";

const MAX_WEBHOOKS = 100;

/** Resolves `eventTypes` again after the catalogue has changed: a prefix such as `video.media.*` may stand for other kinds. */
export async function refreshMatchedTypes(env: Env): Promise<void> {
  const db = openDatabase(env.DB);
  const stale = await db
    .select({ id: webhooks.id, eventTypes: webhooks.eventTypes })
    .from(webhooks)
    .where(or(isNull(webhooks.matchedVersion), ne(webhooks.matchedVersion, CATALOGUE_VERSION)))
    .limit(MAX_WEBHOOKS);
  for (const { id, eventTypes } of stale) {
    const matched = { matchedTypes: expandPatterns(eventTypes), matchedVersion: CATALOGUE_VERSION };
    await db
      .update(webhooks)
      .set(matched)
      .where(and(eq(webhooks.id, id), eq(webhooks.eventTypes, eventTypes)));
  }
  if (stale.length > 0) log("webhooks.types_refreshed", { webhooks: stale.length });
}

/** Seals every secret with the first key of WEBHOOK_KEYS, after which the old key can be removed. */
export async function resealSecrets(env: Env): Promise<void> {
  const db = openDatabase(env.DB);
  const current = `${currentKeyId(env.WEBHOOK_KEYS)}.`;
  const old = await db
    .select({ id: webhooks.id, secret: webhooks.secret, previousSecret: webhooks.previousSecret })
    .from(webhooks)
    .where(sql`instr(${webhooks.secret}, ${current}) <> 1 OR instr(${webhooks.previousSecret}, ${current}) <> 1`)
    .limit(MAX_WEBHOOKS);
  for (const row of old)
    await resealRow(env, row).catch((error: unknown) =>
      logError("webhook.reseal_failed", { webhookId: row.id, error: String(error) }),
    );
  if (old.length > 0) log("webhooks.resealed", { webhooks: old.length });
}

async function resealRow(
  env: Env,
  { id, secret, previousSecret }: Pick<typeof webhooks.$inferSelect, "id" | "secret" | "previousSecret">,
): Promise<void> {
  const reseal = async (sealed: string) =>
    await sealSecret(env.WEBHOOK_KEYS, id, await openSecret(env.WEBHOOK_KEYS, id, sealed));
  const sealed = {
    secret: await reseal(secret),
    previousSecret: previousSecret === null ? null : await reseal(previousSecret),
  };
  // A concurrent rotation has used the new key already.
  await openDatabase(env.DB)
    .update(webhooks)
    .set(sealed)
    .where(and(eq(webhooks.id, id), eq(webhooks.secret, secret)));
}

import { and, eq, isNull, ne, or, sql } from "drizzle-orm";
import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { CATALOGUE_VERSION, expandPatterns } from "../index.ts";
import { log } from "../../platform/log.ts";
import { currentKeyId, openSecret, sealSecret } from "./secrets.ts";
import { webhooks } from "./tables.ts";

const AT_ONCE = 100;

/** After the catalogue of events has changed, a prefix such as `video.media.*` stands for other kinds. */
export async function refreshMatchedTypes(env: Env): Promise<void> {
  const db = openDatabase(env.DB);
  const stale = await db
    .select({ id: webhooks.id, eventTypes: webhooks.eventTypes })
    .from(webhooks)
    .where(or(isNull(webhooks.matchedVersion), ne(webhooks.matchedVersion, CATALOGUE_VERSION)))
    .limit(AT_ONCE);
  for (const { id, eventTypes } of stale) {
    const matched = { matchedTypes: expandPatterns(eventTypes), matchedVersion: CATALOGUE_VERSION };
    await db
      .update(webhooks)
      .set(matched)
      .where(and(eq(webhooks.id, id), eq(webhooks.eventTypes, eventTypes)));
  }
  if (stale.length > 0) log("webhooks.expanded", { webhooks: stale.length });
}

/** After WEBHOOK_KEYS has got a new first key, every secret is sealed with it; then the old one can be taken out. */
export async function resealSecrets(env: Env): Promise<void> {
  const db = openDatabase(env.DB);
  const current = `${currentKeyId(env.WEBHOOK_KEYS)}.`;
  const old = await db
    .select({ id: webhooks.id, secret: webhooks.secret, previousSecret: webhooks.previousSecret })
    .from(webhooks)
    .where(sql`instr(${webhooks.secret}, ${current}) <> 1 OR instr(${webhooks.previousSecret}, ${current}) <> 1`)
    .limit(AT_ONCE);
  for (const row of old)
    await resealRow(env, row).catch((error: unknown) =>
      log("webhook.not_sealed_again", { webhookId: row.id, error: String(error) }),
    );
  if (old.length > 0) log("webhooks.sealed_again", { webhooks: old.length });
}

async function resealRow(
  env: Env,
  { id, secret, previousSecret }: Pick<typeof webhooks.$inferSelect, "id" | "secret" | "previousSecret">,
): Promise<void> {
  const again = async (sealed: string) =>
    await sealSecret(env.WEBHOOK_KEYS, id, await openSecret(env.WEBHOOK_KEYS, id, sealed));
  const sealed = {
    secret: await again(secret),
    previousSecret: previousSecret === null ? null : await again(previousSecret),
  };
  // A rotation that came in between has sealed with the new key anyway.
  await openDatabase(env.DB)
    .update(webhooks)
    .set(sealed)
    .where(and(eq(webhooks.id, id), eq(webhooks.secret, secret)));
}

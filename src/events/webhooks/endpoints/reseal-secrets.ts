import { and, eq, sql } from "drizzle-orm";
import { openDatabase } from "../../../platform/database.ts";
import type { Env } from "../../../platform/env.ts";
import { errorFields, log, logError } from "../../../platform/log.ts";
import { currentKeyId, openSecret, sealSecret } from "../records/secrets.ts";
import { webhooks } from "../records/tables.ts";

/** Limit per run of the cron; the next run continues. */
const MAX_WEBHOOKS = 100;

/** Seals every secret again with the first key of WEBHOOK_KEYS. Afterwards the old key can be removed. */
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
      logError("webhook.reseal_failed", { webhookId: row.id, ...errorFields(error) }),
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
  await openDatabase(env.DB)
    .update(webhooks)
    .set(sealed)
    .where(and(eq(webhooks.id, id), eq(webhooks.secret, secret))); // a rotation in the meantime has used the new key already
}

import { and, eq, sql } from "drizzle-orm";
import { currentKeyId, open, seal } from "../../platform/crypto/sealing.ts";
import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { errorFields, log, logError } from "../../platform/log.ts";
import { importCredentials } from "./tables.ts";

/** Limit per run of the cron; the next run continues. */
const MAX_CREDENTIALS = 100;

/** Seals every credential again with the first key of WEBHOOK_KEYS. Afterwards the old key can be removed. For the cron. */
export async function resealCredentials(env: Env): Promise<void> {
  const db = openDatabase(env.DB);
  const old = await db
    .select({ id: importCredentials.id, sealed: importCredentials.sealed })
    .from(importCredentials)
    .where(sql`instr(${importCredentials.sealed}, ${`${currentKeyId(env.WEBHOOK_KEYS)}.`}) <> 1`)
    .limit(MAX_CREDENTIALS);
  for (const row of old)
    await resealRow(env, row).catch((error: unknown) =>
      logError("import_credential.reseal_failed", { credentialId: row.id, ...errorFields(error) }),
    );
  if (old.length > 0) log("import_credentials.resealed", { credentials: old.length });
}

async function resealRow(env: Env, { id, sealed }: { id: string; sealed: string }): Promise<void> {
  const resealed = await seal(env.WEBHOOK_KEYS, id, await open(env.WEBHOOK_KEYS, id, sealed));
  await openDatabase(env.DB)
    .update(importCredentials)
    .set({ sealed: resealed })
    .where(and(eq(importCredentials.id, id), eq(importCredentials.sealed, sealed)));
}

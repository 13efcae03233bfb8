import { and, eq, gte, lt, or, sql } from "drizzle-orm";
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
  const current = currentKeyId(env.WEBHOOK_KEYS);
  const { sealed } = importCredentials;
  const old = await db
    .select({ id: importCredentials.id, sealed })
    .from(importCredentials)
    // Those that begin with the id and a dot are left out: "/" follows ".". An index serves two ranges, and not a comparison of the beginning.
    .where(or(lt(sealed, `${current}.`), gte(sealed, `${current}/`)))
    .orderBy(sql`random()`) // rows that cannot be opened do not stand in the way of others
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

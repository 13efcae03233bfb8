import { and, eq, isNull, or, sql } from "drizzle-orm";
import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { errorFields, log, logError } from "../../platform/log.ts";
import { currentKeyId } from "../../platform/crypto/sealing.ts";
import { openStream, openTarget, sealStream, sealTarget } from "./secrets.ts";
import { liveStreams, simulcastTargets } from "./tables.ts";

const AT_ONCE = 100;

/**
 * Seals rows that are not sealed with the first key of WEBHOOK_KEYS: rows from before sealing, and after a rotation of the keys all other
 * rows. A row that changes meanwhile is left to the next run. Rows are chosen at random, so that rows that cannot be decrypted do not block
 * the others.
 */
export async function sweepSecrets(env: Env): Promise<void> {
  const db = openDatabase(env.DB);
  const current = `${currentKeyId(env.WEBHOOK_KEYS)}.`;
  const isOld = (column: typeof liveStreams.secrets | typeof simulcastTargets.sealedKey) =>
    or(isNull(column), sql`instr(${column}, ${current}) <> 1`);
  const anyOrder = sql`random()`;
  const streams = await db
    .select()
    .from(liveStreams)
    .where(isOld(liveStreams.secrets))
    .orderBy(anyOrder)
    .limit(AT_ONCE);
  const targets = await db
    .select()
    .from(simulcastTargets)
    .where(isOld(simulcastTargets.sealedKey))
    .orderBy(anyOrder)
    .limit(AT_ONCE);
  const sealed = { streams: 0, targets: 0 };
  for (const row of streams) sealed.streams += await orLogged({ streamId: row.id }, () => sealStreamRow(env, row));
  for (const row of targets) sealed.targets += await orLogged({ simulcastId: row.id }, () => sealTargetRow(env, row));
  const failed = streams.length + targets.length - sealed.streams - sealed.targets;
  if (streams.length + targets.length > 0) log("live.secrets_sealed", { ...sealed, failed });
}

/** @returns the number of sealed rows: 0 when the row has changed meanwhile */
async function sealStreamRow(env: Env, row: typeof liveStreams.$inferSelect): Promise<number> {
  const isSame = and(eq(liveStreams.id, row.id), sql`${liveStreams.secrets} IS ${row.secrets}`);
  const sealed = await sealStream(env, row.id, await openStream(env, row));
  const { meta } = await openDatabase(env.DB).update(liveStreams).set(sealed).where(isSame);
  return meta.changes;
}

async function sealTargetRow(env: Env, row: typeof simulcastTargets.$inferSelect): Promise<number> {
  const isSame = and(eq(simulcastTargets.id, row.id), sql`${simulcastTargets.sealedKey} IS ${row.sealedKey}`);
  const sealed = await sealTarget(env, row.id, (await openTarget(env, row)).streamKey);
  const { meta } = await openDatabase(env.DB).update(simulcastTargets).set(sealed).where(isSame);
  return meta.changes;
}

/** Logs a row that cannot be sealed, so that the others are still sealed. */
async function orLogged(ids: Record<string, string>, sealRow: () => Promise<number>): Promise<number> {
  return await sealRow().catch((error: unknown) => {
    logError("live.secrets_not_sealed", { ...ids, ...errorFields(error) });
    return 0;
  });
}

import { and, eq, isNull, or, sql } from "drizzle-orm";
import { openDatabase } from "../database.ts";
import type { Env } from "../env.ts";
import { log } from "../http/log.ts";
import { currentKeyId } from "../http/sealing.ts";
import { openStream, openTarget, sealStream, sealTarget } from "./secrets.ts";
import { liveStreams, simulcastTargets } from "./tables.ts";

const AT_ONCE = 100;

/**
 * Seals what is not sealed with the first key of WEBHOOK_KEYS: rows that are older than the sealing, and after a rotation of the keys all
 * the others. A row that somebody changes meanwhile is left to the next run.
 */
export async function sweepSecrets(env: Env): Promise<void> {
  const db = openDatabase(env.DB);
  const current = `${currentKeyId(env.WEBHOOK_KEYS)}.`;
  const isOld = (column: typeof liveStreams.secrets | typeof simulcastTargets.sealedKey) =>
    or(isNull(column), sql`instr(${column}, ${current}) <> 1`);
  const streams = await db.select().from(liveStreams).where(isOld(liveStreams.secrets)).limit(AT_ONCE);
  const targets = await db.select().from(simulcastTargets).where(isOld(simulcastTargets.sealedKey)).limit(AT_ONCE);
  const seals = [
    ...streams.map((row) => async () => {
      const isSame = and(eq(liveStreams.id, row.id), sql`${liveStreams.secrets} IS ${row.secrets}`);
      await db
        .update(liveStreams)
        .set(await sealStream(env, row.id, await openStream(env, row)))
        .where(isSame);
    }),
    ...targets.map((row) => async () => {
      const isSame = and(eq(simulcastTargets.id, row.id), sql`${simulcastTargets.sealedKey} IS ${row.sealedKey}`);
      const { streamKey } = await openTarget(env, row);
      await db
        .update(simulcastTargets)
        .set(await sealTarget(env, row.id, streamKey))
        .where(isSame);
    }),
  ];
  for (const sealOne of seals)
    await sealOne().catch((error: unknown) => log("live.secrets_not_sealed", { error: String(error) }));
  if (seals.length > 0) log("live.secrets_sealed", { streams: streams.length, targets: targets.length });
}

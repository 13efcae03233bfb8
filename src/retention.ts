import { sql } from "drizzle-orm";
import { openDatabase } from "./database.ts";
import type { Env } from "./env.ts";
import { eventTime, events } from "./events/index.ts";
import { log } from "./http/log.ts";
import { requestLogs } from "./http/tables.ts";
import { deliveries, deliveryAttempts } from "./webhooks/tables.ts";

/** How long events, deliveries and the request log are kept (spec/interface.md, Limits). */
export const KEEP_DAYS = 30;
export const KEEP_MS = KEEP_DAYS * 24 * 3600_000;

const ROWS_AT_ONCE = 1000;
/** Of one table in one run; the next run goes on. */
const MOST_BATCHES = 20;

/** Deletes what is older than 30 days, in batches that D1 is through with quickly. */
export async function deleteOld(env: Env, now: Date): Promise<void> {
  const beforeMs = now.getTime() - KEEP_MS;
  const old = [
    ["events", events, sql`created_at < ${eventTime(beforeMs)}`],
    ["deliveries", deliveries, sql`created_at < ${beforeMs}`],
    ["delivery_attempts", deliveryAttempts, sql`started_at < ${beforeMs}`],
    ["request_logs", requestLogs, sql`at < ${beforeMs}`],
  ] as const;
  const db = openDatabase(env.DB);
  for (const [name, table, isOld] of old) {
    let deleted = 0;
    for (let batch = 0; batch < MOST_BATCHES; batch += 1) {
      const { meta } = await db.run(
        sql`DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE ${isOld} LIMIT ${ROWS_AT_ONCE})`,
      );
      deleted += meta.changes;
      if (meta.changes < ROWS_AT_ONCE) break;
    }
    if (deleted > 0) log("retention.deleted", { table: name, deleted });
  }
}

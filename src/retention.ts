import { type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { aiUsage } from "./ai/usage/index.ts";
import { commit, openDatabase, type Statement } from "./platform/database.ts";
import type { Env } from "./platform/env.ts";
import { eventTime, events } from "./events/index.ts";
import { log } from "./platform/log.ts";
import { requestLogs } from "./events/request-log/tables.ts";
import { deliveries, deliveryAttempts } from "./events/webhooks/records/tables.ts";

/** How long events, deliveries and the request log are kept. */
const KEEP_DAYS = 30;
export const KEEP_MS = KEEP_DAYS * 24 * 3600_000;

/** How long the usage of AI is kept. */
const KEEP_USAGE_MS = 400 * 24 * 3600_000;

const ROWS_AT_ONCE = 1000;
/** Fewer, because an event has one delivery per webhook of the workspace. */
const EVENTS_AT_ONCE = 200;
/** Most batches per table and run; the next run continues. */
const MAX_BATCHES = 20;

/** Deletes what is older than 30 days, in batches that D1 executes quickly. */
export async function deleteOld(env: Env, now: Date): Promise<void> {
  const beforeMs = now.getTime() - KEEP_MS;
  const db = openDatabase(env.DB);
  const oldRows = (table: SQLiteTable, isOld: SQL) =>
    db.run(sql`DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE ${isOld} LIMIT ${ROWS_AT_ONCE})`);
  const oldEvents = sql`SELECT id FROM ${events} WHERE created_at < ${eventTime(beforeMs)} ORDER BY created_at LIMIT ${EVENTS_AT_ONCE}`;

  await inBatches("deliveries", ROWS_AT_ONCE, () => [oldRows(deliveries, sql`created_at < ${beforeMs}`)]);
  await inBatches("delivery_attempts", ROWS_AT_ONCE, () => [oldRows(deliveryAttempts, sql`started_at < ${beforeMs}`)]);
  await inBatches("request_logs", ROWS_AT_ONCE, () => [oldRows(requestLogs, sql`at < ${beforeMs}`)]);
  const lastDay = new Date(now.getTime() - KEEP_USAGE_MS).toISOString().slice(0, 10);
  await inBatches("ai_usage", ROWS_AT_ONCE, () => [oldRows(aiUsage, sql`day < ${lastDay}`)]);
  // A redelivery may be younger than its event; without the event there is nothing to send.
  await inBatches("events", EVENTS_AT_ONCE, () => [
    ...[deliveryAttempts, deliveries].map((table) =>
      db.run(sql`DELETE FROM ${table} WHERE event_id IN (${oldEvents})`),
    ),
    db.run(sql`DELETE FROM ${events} WHERE id IN (${oldEvents})`),
  ]);

  /** @param statements one commit; the changes of the last one are counted */
  async function inBatches(table: string, rowsAtOnce: number, statements: () => Statement[]): Promise<void> {
    let deleted = 0;
    for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
      const { meta } = (await commit(env.DB, statements())).at(-1)!;
      deleted += meta.changes;
      if (meta.changes < rowsAtOnce) break;
    }
    if (deleted > 0) log("retention.deleted", { table, deleted });
  }
}

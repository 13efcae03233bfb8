import { log, logWarning } from "../../platform/log.ts";
import { askR2Sql } from "../r2-sql/ask-r2-sql.ts";
import { countInBatch } from "../r2-sql/handed-over.ts";
import { type R2SqlSettings, r2SqlSettings } from "../r2-sql/settings.ts";
import type { StoreComponents } from "./components.ts";
import { retentionMs } from "./retention.ts";
import type { HandOverOrder, HandOverProgress } from "./store-calls.ts";
import { streamRow } from "./stream-row.ts";

/** The cron renews it every one to five minutes; otherwise the store stops. */
const LEASE_MS = 30 * 60_000;
/** Interval of the checks whether sent rows are readable. A sink writes every 10 to 300 s. */
const LOOK_EVERY_MS = 30_000;
/** Rows that are not readable this long after sending are sent again. */
const RESEND_MS = 3600_000;
/** A stream accepts 1 MB per call; a row has at most 900 kB (`hand-over-table.ts`). */
const MAX_SEND_BYTES = 950_000;
const ROWS_AT_ONCE = 100;
/** An alarm may use two minutes of CPU time (`wrangler.toml`), and 5,000 rows take some seconds. */
const BATCHES_AT_ONCE = 4;
const DELETIONS_AT_ONCE = 5000;

const DAY_MS = 24 * 3600_000;
/** Views that expire within two days stay in the store. */
const handOverFrom = (env: StoreComponents["env"], nowMs: number) =>
  nowMs - retentionMs(env) + Math.min(2 * DAY_MS, retentionMs(env) / 2);

/** Lets the store hand over its final views for half an hour. Repeatable. */
export function keepHandingOver(
  { env, handOver, takeBack, timers }: StoreComponents,
  { workspaceId, month, isSwitched, keptFromMs }: HandOverOrder,
  nowMs = Date.now(),
): HandOverProgress {
  handOver.open(workspaceId, month);
  handOver.extend(nowMs + LEASE_MS, isSwitched, nowMs);
  takeBack.end();
  timers.bringForward("hand-over", nowMs);
  return { confirmed: handOver.confirmed(keptFromMs), ...handOver.remaining(handOverFrom(env, nowMs), nowMs) };
}

/**
 * For the alarm: sends final views to the stream, checks whether those sent earlier are readable in the table, and lets them count there. A batch
 * keeps its number and its rows, so a repeat after a crash sends the same rows, which the statements count once.
 */
export async function handOver(components: StoreComponents, nowMs = Date.now()): Promise<void> {
  const { env, handOver: table, timers } = components;
  const settings = r2SqlSettings(env);
  if (settings === null || !table.isOpen || table.state.lease_ms < nowMs) return;
  timers.schedule("hand-over", nowMs + LOOK_EVERY_MS);
  let isInOrder = true;
  for (const { batch, sent_ms } of table.pending()) {
    isInOrder &&= sent_ms !== null && (await isReadable(components, settings, batch));
    if (isInOrder) table.confirm(batch);
    else if (sent_ms === null || nowMs - sent_ms > RESEND_MS) await sendBatch(components, settings, batch, nowMs);
  }
  for (let sent = 1; ; sent += 1) {
    const batch = table.newBatch(handOverFrom(env, nowMs), nowMs);
    if (batch === null) break;
    await sendBatch(components, settings, batch, nowMs);
    if (sent < BATCHES_AT_ONCE) continue;
    timers.schedule("hand-over", nowMs + 1);
    break;
  }
  const deleted = table.deleteConfirmed(nowMs, DELETIONS_AT_ONCE);
  if (deleted > 0) log("view_store.rows_moved", { views: deleted });
  if (deleted === DELETIONS_AT_ONCE) timers.schedule("hand-over", nowMs + 1);
}

async function sendBatch(
  components: StoreComponents,
  { stream }: R2SqlSettings,
  batch: number,
  nowMs: number,
): Promise<void> {
  const { handOver: table, views } = components;
  const { state } = table;
  const ids = table.idsOf(batch);
  if (table.pending().some((pending) => pending.batch === batch && pending.sent_ms !== null))
    logWarning("view_store.batch_not_readable", { batch, views: ids.length });
  for (let at = 0; at < ids.length; at += ROWS_AT_ONCE) {
    const rows = views.rowsOf(ids.slice(at, at + ROWS_AT_ONCE));
    let [records, bytes]: [object[], number] = [[], 0];
    for (const row of rows) {
      const record = await streamRow(row, batch, state);
      const size = new TextEncoder().encode(JSON.stringify(record)).length + 1;
      if (records.length > 0 && bytes + size > MAX_SEND_BYTES) {
        await stream.send(records as Record<string, unknown>[]);
        [records, bytes] = [[], 0];
      }
      records.push(record);
      bytes += size;
    }
    if (records.length > 0) await stream.send(records as Record<string, unknown>[]);
  }
  table.sent(batch, nowMs);
}

/** Whether the table has every row of the batch that the store still has. */
async function isReadable(
  { handOver: table }: StoreComponents,
  settings: R2SqlSettings,
  batch: number,
): Promise<boolean> {
  const expected = table.idsOf(batch).length;
  if (expected === 0) return true;
  const { workspace_id, month } = table.state;
  const { forgotten } = table.handedOver;
  const query = countInBatch(settings.table, { workspaceId: workspace_id, month, batch, forgotten });
  const [row] = await askR2Sql(settings, query);
  return Number(row?.["views"] ?? 0) >= expected;
}

import { log } from "../../platform/log.ts";
import { askR2Sql, type AnswerRow } from "../r2-sql/ask-r2-sql.ts";
import { countingRows, viewsToTakeBack } from "../r2-sql/handed-over.ts";
import { r2SqlSettings } from "../r2-sql/settings.ts";
import type { TimelineEvent } from "../views/view-event.ts";
import type { ViewRecord } from "../views/view-record.ts";
import type { WatchedRange } from "../views/watched-ranges.ts";
import { viewerHashesOf } from "./forgotten-viewers.ts";
import type { StoreComponents } from "./components.ts";
import { retentionMs } from "./retention.ts";
import type { TakeBackOrder, TakeBackProgress } from "./store-calls.ts";

/** The cron renews it every one to five minutes; otherwise the store stops. */
const LEASE_MS = 30 * 60_000;
const RETRY_MS = 30_000;
/** A row has at most 150,000 characters (`hand-over-table.ts`), and Durable Objects of a class share 128 MB. */
const [ROWS_AT_ONCE, PAGES_PER_RUN] = [200, 20];

/** Lets the store take its views back for half an hour. Repeatable. */
export function keepTakingBack(
  { handOver, takeBack: table, timers }: StoreComponents,
  { workspaceId, month, keptFromMs, isAgain = false }: TakeBackOrder,
  nowMs = Date.now(),
): TakeBackProgress {
  handOver.open(workspaceId, month);
  handOver.pause();
  if (isAgain) table.end();
  table.extend(nowMs + LEASE_MS);
  // A store that has handed over nothing has nothing to take back, and without views it deletes its state (`isEmptyStore`).
  const isRead = table.state!.isRead || handOver.handedOver.line === 0;
  if (!isRead) timers.bringForward("take-back", nowMs);
  return { confirmed: handOver.confirmed(keptFromMs), isRead };
}

/**
 * For the alarm: writes the views of the distributed table into the store with the numbers of their batches, so that they still count in the table
 * and not here. Existing rows are not changed, so a repeat after a crash changes nothing.
 */
export async function takeBack(components: StoreComponents, nowMs = Date.now()): Promise<void> {
  const { env, handOver, takeBack: table, timers } = components;
  const settings = r2SqlSettings(env);
  const { state } = table;
  if (settings === null || state === null || state.isRead || state.leaseMs < nowMs) return;
  timers.schedule("take-back", nowMs + RETRY_MS);
  const { workspace_id } = handOver.state;
  let written = 0;
  for (let page = 0; page < PAGES_PER_RUN; page += 1) {
    const where = countingRows(workspace_id, [handOver.handedOver], nowMs - retentionMs(env));
    const after = table.state;
    if (after === null) return; // the views are handed over again
    const rows =
      where === null ? [] : await askR2Sql(settings, viewsToTakeBack(settings.table, where, after, ROWS_AT_ONCE));
    written += await writeRows(components, rows);
    if (rows.length < ROWS_AT_ONCE) {
      table.finish();
      timers.cancel("take-back");
      return log("view_store.taken_back", { views: written });
    }
  }
  log("view_store.taking_back", { views: written });
  timers.schedule("take-back", nowMs + 1);
}

/** @returns how many rows there were */
async function writeRows(components: StoreComponents, rows: readonly AnswerRow[]): Promise<number> {
  const { forgotten, handOver, takeBack: table, views } = components;
  const read = await Promise.all(
    rows.map(async (row) => {
      const view = JSON.parse(String(row["record"])) as ViewRecord;
      const timeline = JSON.parse(String(row["timeline"])) as TimelineEvent[];
      const watched = JSON.parse(String(row["watched"])) as WatchedRange[];
      const state = { view, timeline, watched, revision: Number(row["revision"]) };
      return { state, batch: Number(row["batch"]), hashes: await viewerHashesOf(view) };
    }),
  );
  const last = rows.at(-1);
  if (last === undefined) return 0;
  // No await from here on: a request to forget a viewer could run in between.
  components.commit(() => {
    for (const { state, batch, hashes } of read) {
      if (forgotten.has(hashes, state.view.viewStartMs)) continue;
      views.put(state);
      handOver.takenBack(state.view.viewId, batch);
    }
    table.advance({ endMs: Number(last["view_end_ms"]), viewId: String(last["view_id"]) });
  });
  return rows.length;
}

/** Current viewers, from the rows of running views. */
import type { Env } from "../../platform/env.ts";
import { askStores, monthsIn } from "../questions/ask-stores.ts";
import { type GroupKey } from "../questions/group-key.ts";
import { groupViews } from "../questions/group-views.ts";
import type { Scope } from "../questions/scope.ts";
import type { Query } from "../store/store-calls.ts";

const MINUTE_MS = 60_000;
/**
 * A running view is current while its last event is at most this old. Players report every 10 s, and a view's row is at most 30 s old, so every
 * viewer who watches is counted. A paused player reports nothing and is not counted.
 */
const CURRENT_MS = MINUTE_MS;
/** Intervals of the time series. The last one is the current minute. */
const INTERVALS = 30;

export interface CurrentGroup {
  /** Null = views without a value. */
  key: string | null;
  viewers: number;
  views: number;
}

/** The end is a second in the future, because the clocks of the hosts that receive beacons differ. */
const currentScope = (nowMs: number): Scope => ({
  fromMs: nowMs - CURRENT_MS,
  toMs: nowMs + 1000,
  filters: [],
  isRunning: true,
});

/** The current viewers of each value, in descending order. Running views are always in the embedded engine. */
export async function currentViewers(
  env: Env,
  workspaceId: string,
  groupKey: GroupKey,
  nowMs: number,
): Promise<CurrentGroup[]> {
  const scope = currentScope(nowMs);
  const question = { scope, metric: "views", measurement: "count", key: groupKey } as const;
  const groups = (await groupViews(env, workspaceId, question, nowMs)).map(({ key, viewers, views }) => ({
    key: key === null ? null : String(key),
    viewers,
    views,
  }));
  return groups.toSorted((one, other) => other.viewers - one.viewers || compareKeys(one.key, other.key));
}

const compareKeys = (one: string | null, other: string | null) => ((one ?? "") < (other ?? "") ? -1 : 1);

/** How many views ran in each of the last 30 minutes: from the first event of a view to its last, or to now if it is current. */
export async function currentViewsByMinute(env: Env, workspaceId: string, nowMs: number) {
  const nowMinute = Math.floor(nowMs / MINUTE_MS);
  const firstMinute = nowMinute - INTERVALS + 1;
  const scope = { fromMs: firstMinute * MINUTE_MS, toMs: nowMs };
  const query: Query = {
    sql: `SELECT CAST(max(view_start_ms, ?) / ${MINUTE_MS} AS INTEGER) AS first,
        CASE WHEN is_final = 0 AND view_end_ms >= ? THEN ? ELSE CAST(view_end_ms / ${MINUTE_MS} AS INTEGER) END AS last,
        count(*) AS views
      FROM views WHERE view_end_ms >= ? GROUP BY 1, 2`,
    values: [scope.fromMs, nowMs - CURRENT_MS, nowMinute, scope.fromMs],
  };
  const answers = await askStores(env, workspaceId, monthsIn(env, scope, nowMs), [query]);
  const counts = Array.from({ length: INTERVALS }, () => 0);
  for (const row of answers.flatMap(([rows]) => rows!))
    for (let minute = Number(row["first"]); minute <= Math.min(Number(row["last"]), nowMinute); minute += 1)
      counts[minute - firstMinute]! += Number(row["views"]);
  return { ...scope, counts: counts.map((views, index) => ({ atMs: (firstMinute + index) * MINUTE_MS, views })) };
}

import type { Env } from "../../platform/env.ts";
import { callStore, type Query, type Row, type StoredView } from "../store/store-calls.ts";
import { askStores, monthsIn } from "./ask-stores.ts";
import { conditionOf, type Scope } from "./scope.ts";

const COLUMNS =
  "view_id, os_name, browser_name, view_start_ms, view_end_ms, video_title, error_code, error_message, country, watch_ms, experience_score";

export interface Page {
  /** From 1. */
  page: number;
  limit: number;
  order: "asc" | "desc";
}

/** One page of views by the time at which they ended. The months are in the same order, so a page is read from one or two of them. */
export async function listViews(
  env: Env,
  workspaceId: string,
  scope: Scope,
  { page, limit, order }: Page,
  nowMs: number,
): Promise<{ rows: Row[]; total: number }> {
  const { sql, values } = conditionOf(scope);
  const months = monthsIn(env, scope, nowMs);
  if (order === "desc") months.reverse();
  const count: Query = { sql: `SELECT count(*) AS count FROM views WHERE ${sql}`, values };
  const counts = (await askStores(env, workspaceId, months, [count])).map(([rows]) => Number(rows![0]!["count"]));
  const rows: Row[] = [];
  let skip = (page - 1) * limit;
  for (const [index, month] of months.entries()) {
    const wanted = limit - rows.length;
    if (wanted > 0 && skip < counts[index]!) {
      const select = `SELECT ${COLUMNS} FROM views WHERE ${sql} ORDER BY view_end_ms ${order}, view_id LIMIT ? OFFSET ?`;
      const query = { sql: select, values: [...values, wanted, skip] };
      const [[found = []] = []] = await callStore(env, { workspaceId, month }, "run", { queries: [query] }).then(
        (all) => [all],
      );
      rows.push(...found);
    }
    skip = Math.max(0, skip - counts[index]!);
  }
  return { rows, total: counts.reduce((sum, one) => sum + one, 0) };
}

/** One view with its events. @returns null when the workspace has no such view, or it is no longer kept */
export async function findView(
  env: Env,
  workspaceId: string,
  viewId: string,
  nowMs: number,
): Promise<StoredView | null> {
  const months = monthsIn(env, { fromMs: 0, toMs: nowMs }, nowMs);
  const found = await Promise.all(months.map((month) => callStore(env, { workspaceId, month }, "find", { viewId })));
  return found.findLast((view) => view !== null) ?? null;
}

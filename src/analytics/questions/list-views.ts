import type { Env } from "../../platform/env.ts";
import { viewStore, type Row, type StoredView } from "../store/store-calls.ts";
import { askStores, monthsIn } from "./ask-stores.ts";
import { countQuery, listQuery } from "./embedded-sql.ts";
import { conditionOf, type Scope } from "./scope.ts";
import type { Page } from "./view-engine.ts";

/** One page of views in the order of their ends. Months are in the same order, so a page needs one or two stores. */
export async function listViews(
  env: Env,
  workspaceId: string,
  scope: Scope,
  { page, limit, order }: Page,
  nowMs: number,
): Promise<{ rows: Row[]; total: number }> {
  const condition = conditionOf(scope);
  const months = monthsIn(env, scope, nowMs);
  if (order === "desc") months.reverse();
  const answers = await askStores(env, workspaceId, months, [countQuery(condition)]);
  const counts = answers.map(([rows]) => Number(rows![0]!["count"]));
  const rows: Row[] = [];
  let skip = (page - 1) * limit;
  for (const [index, month] of months.entries()) {
    const wanted = limit - rows.length;
    if (wanted > 0 && skip < counts[index]!) {
      const queries = [listQuery(condition, order, wanted, skip)];
      const [found = []] = await viewStore(env, { workspaceId, month }).run(queries);
      rows.push(...found);
    }
    skip = Math.max(0, skip - counts[index]!);
  }
  return { rows, total: counts.reduce((sum, one) => sum + one, 0) };
}

export async function countViews(env: Env, workspaceId: string, scope: Scope, nowMs: number): Promise<number> {
  const counts = await askStores(env, workspaceId, monthsIn(env, scope, nowMs), [countQuery(conditionOf(scope))]);
  return counts.reduce((sum, [rows]) => sum + Number(rows![0]!["count"]), 0);
}

export async function findView(
  env: Env,
  workspaceId: string,
  viewId: string,
  nowMs: number,
): Promise<StoredView | null> {
  const months = monthsIn(env, { fromMs: 0, toMs: nowMs }, nowMs);
  const found = await Promise.all(months.map((month) => viewStore(env, { workspaceId, month }).find(viewId)));
  return found.findLast((view) => view !== null) ?? null;
}

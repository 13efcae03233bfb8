import type { Env } from "../../platform/env.ts";
import { askStores, monthsIn } from "../metrics/ask-stores.ts";
import { conditionOf, type Scope } from "../metrics/scope.ts";
import { callStore, type StoredView } from "../store/store-calls.ts";

export async function countViews(env: Env, workspaceId: string, scope: Scope, nowMs: number): Promise<number> {
  const { sql, values } = conditionOf(scope);
  const query = { sql: `SELECT count(*) AS count FROM views WHERE ${sql}`, values };
  const counts = await askStores(env, workspaceId, monthsIn(env, scope, nowMs), [query]);
  return counts.reduce((sum, [rows]) => sum + Number(rows![0]!["count"]), 0);
}

/** All views of a scope by the time at which they ended, a page at a time, so that no more than one is in memory. */
export async function* viewPages(
  env: Env,
  workspaceId: string,
  scope: Scope,
  nowMs: number,
): AsyncGenerator<StoredView["view"][]> {
  const { sql, values } = conditionOf(scope);
  for (const month of monthsIn(env, scope, nowMs)) {
    let after: [number, string] = [-1, ""];
    for (;;) {
      const page = await callStore(env, { workspaceId, month }, "page", {
        condition: { sql, values },
        afterMs: after[0],
        afterId: after[1],
      });
      if (page.length > 0) yield page;
      const last = page.at(-1);
      if (last === undefined) break;
      after = [last.viewEndMs, last.viewId];
    }
  }
}

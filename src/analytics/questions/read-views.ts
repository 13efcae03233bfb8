/** Reads the views of the embedded engine one at a time. */
import type { Env } from "../../platform/env.ts";
import { addWatched, type Watched } from "../store/interval-counts.ts";
import { viewStore, type Query } from "../store/store-calls.ts";
import type { ViewRecord } from "../views/view-record.ts";
import { monthsIn } from "./ask-stores.ts";
import { conditionOf, type Scope } from "./scope.ts";
import { axisOf, type WatchedQuestion } from "./view-engine.ts";

/** All views of a scope in the order of their ends. */
export async function* viewPages(
  env: Env,
  workspaceId: string,
  scope: Scope,
  nowMs: number,
): AsyncGenerator<ViewRecord[]> {
  const condition = conditionOf(scope);
  for (const month of monthsIn(env, scope, nowMs)) yield* monthPages(env, { workspaceId, month }, condition);
}

export async function* monthPages(
  env: Env,
  store: { workspaceId: string; month: string },
  condition: Query,
): AsyncGenerator<ViewRecord[]> {
  let after: [number, string] = [-1, ""];
  for (;;) {
    const page = await viewStore(env, store).readPage({ condition, afterMs: after[0], afterId: after[1] });
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = [last.viewEndMs, last.viewId];
  }
}

export async function countWatchedViews(
  env: Env,
  workspaceId: string,
  question: WatchedQuestion,
  nowMs: number,
): Promise<Watched> {
  const { scope, content, grid } = question;
  const { sql, values } = conditionOf(scope);
  const condition = { sql: `${sql} AND ${content.column} = ?`, values: [...values, content.id] };
  const asked = { condition, axis: axisOf(question), grid } as const;
  const answers = await Promise.all(
    monthsIn(env, scope, nowMs).map((month) => viewStore(env, { workspaceId, month }).countWatched(asked)),
  );
  return addWatched(answers, grid.intervals);
}

import { z } from "@hono/zod-openapi";
import type { Env } from "../../platform/env.ts";
import type { Row } from "../store/store-calls.ts";
import { askStores, monthsIn } from "./ask-stores.ts";
import { conditionOf, type Scope } from "./scope.ts";
import { errorId } from "./to-view.ts";

const facts = {
  percentage: z.number(),
  notes: z.string().nullable(),
  message: z.string(),
  lastSeen: z.string(),
  count: z.int(),
  code: z.string(),
};
export const PlaybackError = z
  .object({ ...facts, id: z.string(), description: z.string().nullable() })
  .openapi("PlaybackError");
export const TopError = z.object({ ...facts, uniqueViewersEffectedPercentage: z.number() }).openapi("TopError");

interface SeenError {
  code: string;
  message: string;
  count: number;
  lastMs: number;
  viewers: Set<unknown>;
}

/** The errors that ended views, the most frequent first; `topErrors` by the share of viewers that they met. */
export async function listErrors(env: Env, workspaceId: string, scope: Scope, limit: number, nowMs: number) {
  const { sql, values } = conditionOf(scope);
  const months = monthsIn(env, scope, nowMs);
  const select = `SELECT error_code AS code, error_message AS message, viewer_key AS viewer, count(*) AS count,
    max(view_end_ms) AS last FROM views WHERE ${sql} AND has_failed = 1 GROUP BY 1, 2, 3`;
  const all = `SELECT count(*) AS views FROM views WHERE ${sql}`;
  const viewer = `SELECT DISTINCT viewer_key AS viewer FROM views WHERE ${sql}`;
  const answers = await askStores(
    env,
    workspaceId,
    months,
    [select, all, viewer].map((text) => ({ sql: text, values })),
  );
  const views = answers.reduce((sum, [, rows]) => sum + Number(rows![0]!["views"]), 0);
  const viewers = new Set(answers.flatMap(([, , rows]) => rows!.map((row) => row["viewer"]))).size;
  const errors = mergeErrors(answers.flatMap(([rows]) => rows!));
  const shown = (error: SeenError) => ({
    percentage: error.count / views,
    notes: null,
    message: error.message,
    lastSeen: new Date(error.lastMs).toISOString().replace("T", " ").replace("Z", ""),
    count: error.count,
    code: error.code,
  });
  return {
    errors: errors
      .toSorted((one, other) => other.count - one.count)
      .slice(0, limit)
      .map((error) => ({ ...shown(error), id: String(errorId(error.code, error.message)), description: null })),
    topErrors: errors
      .toSorted((one, other) => other.viewers.size - one.viewers.size)
      .slice(0, limit)
      .map((error) => ({ ...shown(error), uniqueViewersEffectedPercentage: error.viewers.size / viewers })),
  };
}

function mergeErrors(rows: Row[]): SeenError[] {
  const errors = new Map<string, SeenError>();
  for (const row of rows) {
    const [code, message] = [String(row["code"]), String(row["message"])];
    const key = `${code}\n${message}`;
    const error = errors.get(key) ?? { code, message, count: 0, lastMs: 0, viewers: new Set() };
    error.count += Number(row["count"]);
    error.lastMs = Math.max(error.lastMs, Number(row["last"]));
    error.viewers.add(row["viewer"]);
    errors.set(key, error);
  }
  return [...errors.values()];
}

import type { Env } from "../../platform/env.ts";
import type { Row } from "../store/store-calls.ts";
import { askStores, monthsIn } from "./ask-stores.ts";
import { contextsQuery, errorQueries } from "./embedded-sql.ts";
import { conditionOf, type Scope } from "./scope.ts";
import type { ErrorFigures, SeenError } from "./view-engine.ts";

/** An error with the ids of its viewers. */
export type MergedError = Omit<SeenError, "viewers"> & { viewers: Set<unknown> };

/** The errors that ended views, with the affected viewers. */
export async function countErrors(env: Env, workspaceId: string, scope: Scope, nowMs: number): Promise<ErrorFigures> {
  const months = monthsIn(env, scope, nowMs);
  const answers = await askStores(env, workspaceId, months, errorQueries(conditionOf(scope)));
  const { views, viewers, errors } = mergeErrors(answers);
  return { views, viewers: viewers.size, errors: errors.map((error) => ({ ...error, viewers: error.viewers.size })) };
}

/** The contexts of errors that were counted in the same scope. */
export async function readContexts(
  env: Env,
  workspaceId: string,
  scope: Scope,
  { errors, nowMs }: { errors: readonly SeenError[]; nowMs: number },
): Promise<Map<string, string>> {
  const months = monthsIn(env, scope, nowMs);
  const answers = await askStores(env, workspaceId, months, [contextsQuery(conditionOf(scope), errors)]);
  return contextsIn(answers.flatMap(([rows]) => rows!));
}

/** @param rows with `code`, `message` and `context` */
export const contextsIn = (rows: readonly Row[]): Map<string, string> =>
  new Map(
    rows.flatMap(({ code, message, context }) =>
      context === null || context === undefined ? [] : [[errorKey(String(code), String(message)), String(context)]],
    ),
  );

/** @param answers those of `errorQueries`, per store */
export function mergeErrors(answers: Row[][][]) {
  const errors = new Map<string, MergedError>();
  for (const row of answers.flatMap(([rows]) => rows!)) {
    const [code, message] = [String(row["code"]), String(row["message"])];
    const key = errorKey(code, message);
    const error = errors.get(key) ?? { code, message, count: 0, lastMs: 0, viewers: new Set() };
    error.count += Number(row["count"]);
    error.lastMs = Math.max(error.lastMs, Number(row["last"]));
    error.viewers.add(row["viewer"]);
    errors.set(key, error);
  }
  return {
    views: answers.reduce((sum, [, rows]) => sum + Number(rows![0]!["count"]), 0),
    viewers: new Set(answers.flatMap(([, , rows]) => rows!.map((row) => row["viewer"]))),
    errors: [...errors.values()],
  };
}

export const errorKey = (code: string, message: string): string => `${code}\n${message}`;

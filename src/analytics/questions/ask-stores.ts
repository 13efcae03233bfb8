import type { Env } from "../../platform/env.ts";
import { monthsBetween } from "../store/months.ts";
import { retentionMs } from "../store/retention.ts";
import { viewStore, type Query, type Row } from "../store/store-calls.ts";

/** The months of a time span within the retention time, in order. */
export const monthsIn = (env: Env, { fromMs, toMs }: { fromMs: number; toMs: number }, nowMs: number): string[] =>
  monthsBetween(Math.max(fromMs, nowMs - retentionMs(env)), Math.min(toMs, nowMs));

/** @returns the rows of each query, per month */
export const askStores = (env: Env, workspaceId: string, months: string[], queries: Query[]): Promise<Row[][][]> =>
  Promise.all(months.map((month) => viewStore(env, { workspaceId, month }).run(queries)));

import type { Env } from "../../platform/env.ts";
import { RETENTION_MS } from "../store/retention.ts";
import { callStore, monthOf, type Query, type Row } from "../store/store-calls.ts";

/** The months of a time span, in order, as far as views are kept. At most five. */
export function monthsIn({ fromMs, toMs }: { fromMs: number; toMs: number }, nowMs: number): string[] {
  const months: string[] = [];
  const endMs = Math.min(toMs, nowMs);
  for (let atMs = Math.max(fromMs, nowMs - RETENTION_MS); atMs <= endMs; atMs = startOfNextMonth(atMs))
    months.push(monthOf(atMs));
  return months;
}

function startOfNextMonth(atMs: number): number {
  const at = new Date(atMs);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1);
}

/** @returns the rows of each query, per month */
export const askStores = (env: Env, workspaceId: string, months: string[], queries: Query[]): Promise<Row[][][]> =>
  Promise.all(months.map((month) => callStore(env, { workspaceId, month }, "run", { queries })));

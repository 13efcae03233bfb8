/** A sample of the packed figures of many views. */
import { PACKED_COLUMN, SLOTS } from "./packed-figures.ts";
import type { Span } from "./store-calls.ts";

/** Views that end at about the same time are alike, so many small windows represent the views better than a few large ones. */
const WINDOWS = 4096;
const VIEWS_OF_WINDOW = 4;

export interface Sample {
  figures: Float64Array;
  /** How many views each of them represents. */
  weights: Float64Array;
}

/** The first views of each time window. They represent all views of the window. */
export function packedSample(sql: SqlStorage, { fromMs, toMs, filters }: Span): Sample {
  const select = `SELECT ${PACKED_COLUMN} AS packed, view_end_ms AS endMs FROM views WHERE view_end_ms >= ? AND view_end_ms < ? AND ${filters.sql}
    ORDER BY view_end_ms, view_id LIMIT ${VIEWS_OF_WINDOW}`;
  const lengthMs = (toMs - fromMs) / WINDOWS;
  const figures = new Float64Array(WINDOWS * VIEWS_OF_WINDOW * SLOTS);
  const weights = new Float64Array(WINDOWS * VIEWS_OF_WINDOW);
  let views = 0;
  for (let window = 0; window < WINDOWS; window += 1) {
    const bounds = [fromMs + window * lengthMs, fromMs + (window + 1) * lengthMs] as const;
    const rows = sql.exec<{ packed: ArrayBuffer; endMs: number }>(select, ...bounds, ...filters.values).toArray();
    // The last view only marks the end of the others: counting it would overestimate each window.
    const next = rows.length < VIEWS_OF_WINDOW ? null : rows.pop()!;
    const coveredMs = next === null ? lengthMs : Math.max(1, next.endMs - bounds[0]);
    for (const { packed } of rows) {
      figures.set(new Float64Array(packed), views * SLOTS);
      weights[views] = lengthMs / coveredMs;
      views += 1;
    }
  }
  return { figures: figures.subarray(0, views * SLOTS), weights: weights.subarray(0, views) };
}

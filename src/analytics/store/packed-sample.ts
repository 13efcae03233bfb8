/** A sample of the packed figures of many views. */
import { PACKED_COLUMN, SLOTS } from "./packed-figures.ts";
import type { Span } from "./store-calls.ts";

/** Views that end next to each other are alike, so a few of many moments say more than many of a few. */
const WINDOWS = 4096;
const VIEWS_OF_WINDOW = 4;

export interface Sample {
  figures: Float64Array;
  /** How many views each one stands for. */
  weights: Float64Array;
}

/** The first views of each window of time. They stand for those of the whole window. */
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
    // The last one only says how far the others reach: counted with them, it would make each window fuller than it is.
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

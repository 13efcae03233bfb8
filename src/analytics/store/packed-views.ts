/** Reads the packed figures of many views: SQLite concatenates them, because each row that is handed over takes a microsecond. */
import { PACKED_COLUMN, SLOTS } from "./packed-figures.ts";
import type { Span } from "./store-calls.ts";

/** A value of a Durable Object's SQLite has at most 2 MB. */
const VIEWS_AT_ONCE = Math.floor(1_500_000 / (8 * SLOTS));
const WINDOWS = 512;
const VIEWS_OF_WINDOW = 32;
const CONCATENATED = `CAST(group_concat(${PACKED_COLUMN}, '') AS BLOB)`;

type Position = [endMs: number, viewId: string];

/** @returns some thousands of views at a time, in the order of their ends */
export function* packedViews(sql: SqlStorage, { fromMs, toMs, filters }: Span): Generator<Float64Array> {
  // Every id is behind the empty one.
  let after: Position = [fromMs, ""];
  for (;;) {
    const last = positionOf(sql, after, toMs, VIEWS_AT_ONCE);
    const select = `SELECT ${CONCATENATED} AS packed FROM views
      WHERE (view_end_ms, view_id) > (?, ?) AND (view_end_ms, view_id) <= (?, ?) AND ${filters.sql}`;
    const until = last ?? [toMs, ""];
    const { packed } = sql.exec<{ packed: ArrayBuffer | null }>(select, ...after, ...until, ...filters.values).one();
    if (packed !== null) yield new Float64Array(packed);
    if (last === null) return;
    after = last;
  }
}

/** Of the n-th view after a position, filtered or not; null = there are fewer. */
function positionOf(sql: SqlStorage, after: Position, toMs: number, n: number): Position | null {
  const select = `SELECT view_end_ms, view_id FROM views WHERE (view_end_ms, view_id) > (?, ?) AND view_end_ms < ?
    ORDER BY view_end_ms, view_id LIMIT 1 OFFSET ?`;
  const [row] = sql.exec<{ view_end_ms: number; view_id: string }>(select, ...after, toMs, n - 1).toArray();
  return row === undefined ? null : [row.view_end_ms, row.view_id];
}

/** The first views of each window of time; fewer of those windows in which views are rarer, so that every view is as likely to be there. */
export function packedSample(sql: SqlStorage, { fromMs, toMs, filters }: Span): Float64Array {
  const select = `SELECT ${CONCATENATED} AS packed, min(view_end_ms) AS first, max(view_end_ms) AS last FROM
    (SELECT ${PACKED_COLUMN}, view_end_ms FROM views WHERE view_end_ms >= ? AND view_end_ms < ? AND ${filters.sql}
     ORDER BY view_end_ms, view_id LIMIT ${VIEWS_OF_WINDOW})`;
  const lengthMs = (toMs - fromMs) / WINDOWS;
  const windows = Array.from({ length: WINDOWS }, (_, index) => {
    const bounds = [fromMs + index * lengthMs, fromMs + (index + 1) * lengthMs];
    const { packed, first, last } = sql
      .exec<{ packed: ArrayBuffer | null; first: number; last: number }>(select, ...bounds, ...filters.values)
      .one();
    const figures = new Float64Array(packed ?? new ArrayBuffer(0));
    const views = figures.length / SLOTS;
    const coveredMs = views < VIEWS_OF_WINDOW ? lengthMs : Math.max(1, last - first);
    return { figures, viewsPerMs: views / coveredMs };
  });
  const most = Math.max(...windows.map(({ viewsPerMs }) => viewsPerMs));
  const parts = windows.map(({ figures, viewsPerMs }) =>
    figures.subarray(0, Math.ceil((VIEWS_OF_WINDOW * viewsPerMs) / most) * SLOTS),
  );
  const sample = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let filled = 0;
  for (const part of parts) {
    sample.set(part, filled);
    filled += part.length;
  }
  return sample;
}

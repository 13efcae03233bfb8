/** Reads the packed figures of many views. SQLite concatenates them, because each returned row takes a microsecond. */
import { PACKED_COLUMN, SLOTS } from "./packed-figures.ts";
import type { Span } from "./store-calls.ts";

/** A value of a Durable Object's SQLite has at most 2 MB. */
const VIEWS_AT_ONCE = Math.floor(1_500_000 / (8 * SLOTS));

type Position = [endMs: number, viewId: string];

/** SQL of the first views after a position, in the order of their ends. */
const NEXT = (filter: string) => `FROM views WHERE (view_end_ms, view_id) > (?, ?) AND view_end_ms < ? AND ${filter}
  ORDER BY view_end_ms, view_id LIMIT`;

/** @returns some thousands of views at a time, in the order of their ends */
export function* packedViews(sql: SqlStorage, { fromMs, toMs, filters }: Span): Generator<Float64Array> {
  const select = `SELECT CAST(group_concat(${PACKED_COLUMN}, '') AS BLOB) AS packed, max(view_end_ms) AS last
    FROM (SELECT ${PACKED_COLUMN}, view_end_ms ${NEXT(filters.sql)} ${VIEWS_AT_ONCE})`;
  // Every id is greater than "".
  let after: Position = [fromMs, ""];
  for (;;) {
    const bounds = [...after, toMs, ...filters.values];
    const { packed, last } = sql.exec<{ packed: ArrayBuffer | null; last: number }>(select, ...bounds).one();
    if (packed === null) return;
    const figures = new Float64Array(packed);
    yield figures;
    if (figures.length < VIEWS_AT_ONCE * SLOTS) return;
    after = [last, onlyViewAt(sql, last) ?? lastOf(sql, filters.sql, bounds)];
  }
}

/** @returns null = several views ended in that millisecond */
function onlyViewAt(sql: SqlStorage, endMs: number): string | null {
  const select = "SELECT view_id FROM views WHERE view_end_ms = ? LIMIT 2";
  const [view, other] = sql.exec<{ view_id: string }>(select, endMs).toArray();
  return other === undefined ? view!.view_id : null;
}

/** Finds the last view that was read by counting, which takes as long as reading all of them again. */
function lastOf(sql: SqlStorage, filter: string, bounds: SqlStorageValue[]): string {
  const select = `SELECT view_id ${NEXT(filter)} 1 OFFSET ${VIEWS_AT_ONCE - 1}`;
  return sql.exec<{ view_id: string }>(select, ...bounds).one().view_id;
}

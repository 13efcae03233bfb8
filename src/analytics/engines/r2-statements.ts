/**
 * The statements of the distributed engine. They use what R2 SQL has had since its first releases: one table, without joins, subqueries, windows,
 * DISTINCT and OFFSET. They group by the view's id first, because a view may have been sent twice. A second grouping counts viewers
 * exactly. Pure.
 */
import { literal } from "../r2-sql/literal.ts";
import { R2_SQL } from "../questions/dialect.ts";
import { LIST_COLUMNS, MAX_GROUPS } from "../questions/embedded-sql.ts";
import type { GroupKey } from "../questions/group-key.ts";
import { columnOf } from "../questions/group-sums.ts";
import type { Page, Question, SeenError } from "../questions/view-engine.ts";
import type { Wanted } from "../store/store-calls.ts";

/** The table and the condition for the rows that count. */
export interface Rows {
  table: string;
  where: string;
}

const MAX_ERRORS = 10_000;
/** An answer has at most 50 errors; a record has about 3 kB. */
const MAX_LATEST = 1000;

/** Each view once. Its copies are equal, so MAX returns their value. */
const eachView = ({ table, where }: Rows, columns: Record<string, string>): string => {
  const values = Object.entries(columns).map(([name, expression]) => `max(${expression}) AS ${name}`);
  return `WITH v AS (SELECT ${["view_id", ...values].join(", ")} FROM ${table} WHERE ${where} GROUP BY view_id)`;
};

export function totalsStatement(rows: Rows, question: Question): string {
  const views = eachView(rows, {
    group_key: R2_SQL.key(question.key),
    viewer: "viewer_key",
    watch_ms: "watch_ms",
    playing_ms: "playing_ms",
    measured: columnOf(question) ?? "watch_ms",
  });
  return `${views}, w AS (SELECT group_key, viewer, count(*) AS view_count, sum(watch_ms) AS watch_sum, sum(playing_ms) AS playing_sum,
    sum(measured) AS measured_sum, count(measured) AS measured_count FROM v GROUP BY group_key, viewer)
    SELECT group_key, sum(view_count) AS all_views, count(*) AS all_viewers, sum(watch_sum) AS all_watch, sum(playing_sum) AS all_playing,
    sum(measured_sum) AS all_measured, sum(measured_count) AS all_count FROM w GROUP BY group_key ORDER BY all_views DESC LIMIT ${MAX_GROUPS}`;
}

/** The groups in which these viewers have views. */
export const overlapStatement = (
  { table, where }: Rows,
  question: Pick<Question, "key">,
  viewers: string[],
): string => {
  const rows = { table, where: `${where} AND viewer_key IN (${viewers.map(literal).join(", ")})` };
  const views = eachView(rows, { group_key: R2_SQL.key(question.key), viewer: "viewer_key" });
  return `${views} SELECT group_key, viewer, count(*) AS view_count FROM v GROUP BY group_key, viewer`;
};

/** @param shares 0 to 1; the columns are `q0`, `q1`, … */
export function quantilesStatement(rows: Rows, question: Question, shares: readonly number[]): string {
  const views = eachView(rows, { group_key: R2_SQL.key(question.key), measured: columnOf(question)! });
  const quantiles = shares.map((share, index) => `approx_percentile_cont(measured, ${literal(share)}) AS q${index}`);
  return `${views} SELECT group_key, ${quantiles.join(", ")} FROM v WHERE measured IS NOT NULL GROUP BY group_key`;
}

/** Width of a bin as a natural logarithm: its largest value exceeds its smallest by 0.4 %. */
const BIN = 0.004;
/** The middle of a bin. The unnumbered bin holds zero and negative values. */
export const valueOfBin = (bin: number | null): number => (bin === null ? 0 : Math.exp((bin + 0.5) * BIN));

/** How many views of each group have a value of the column in each bin. */
export function binsStatement(rows: Rows, key: GroupKey, column: string): string {
  const views = eachView(rows, { group_key: R2_SQL.key(key), measured: column });
  return `${views} SELECT group_key, CASE WHEN measured > 0 THEN floor(ln(measured) / ${literal(BIN)}) END AS bin, count(*) AS view_count
    FROM v WHERE measured IS NOT NULL GROUP BY 1, 2`;
}

/** Sums over all views: `total_N` and `count_N` for the N-th column. */
export function figuresStatement(rows: Rows, wanted: readonly Pick<Wanted, "column" | "isOfSucceeded">[]): string {
  const columns = wanted.map(({ column, isOfSucceeded }, index) => {
    return [`m${index}`, isOfSucceeded ? `CASE WHEN has_failed = 0 THEN ${column} END` : column] as const;
  });
  const views = eachView(rows, { viewer: "viewer_key", ...Object.fromEntries(columns) });
  const perViewer = columns.map(([name]) => `sum(${name}) AS s_${name}, count(${name}) AS c_${name}`);
  const all = columns.map(([name], index) => `sum(s_${name}) AS total_${index}, sum(c_${name}) AS count_${index}`);
  return `${views}, w AS (SELECT viewer, ${["count(*) AS view_count", ...perViewer].join(", ")} FROM v GROUP BY viewer)
    SELECT ${["sum(view_count) AS all_views", "count(*) AS all_viewers", ...all].join(", ")} FROM w`;
}

export const countStatement = (rows: Rows): string =>
  `${eachView(rows, { ended: "view_end_ms" })} SELECT count(*) AS view_count FROM v`;

export function errorsStatement({ table, where }: Rows): string {
  const views = eachView(
    { table, where: `${where} AND has_failed = 1` },
    { code: "error_code", message: "error_message", viewer: "viewer_key", ended: "view_end_ms" },
  );
  return `${views}, w AS (SELECT code, message, viewer, count(*) AS view_count, max(ended) AS ended FROM v GROUP BY code, message, viewer)
    SELECT code, message, sum(view_count) AS all_views, count(*) AS all_viewers, max(ended) AS last_ended FROM w
    GROUP BY code, message ORDER BY all_views DESC LIMIT ${MAX_ERRORS}`;
}

/** The records of the latest views of these errors. There may be several of an error, because they ended at the same time or are copies. */
export function contextsStatement({ table, where }: Rows, errors: readonly SeenError[]): string {
  const latest = errors.map(
    ({ code, message, lastMs }) =>
      `(view_end_ms = ${literal(lastMs)} AND error_code = ${literal(code)} AND error_message = ${literal(message)})`,
  );
  return `SELECT error_code, error_message, record FROM ${table} WHERE ${where} AND has_failed = 1 AND (${latest.join(" OR ")})
    LIMIT ${MAX_LATEST}`;
}

/** The errors that these viewers had. */
export function errorOverlapStatement({ table, where }: Rows, viewers: string[]): string {
  const rows = { table, where: `${where} AND has_failed = 1 AND viewer_key IN (${viewers.map(literal).join(", ")})` };
  const views = eachView(rows, { code: "error_code", message: "error_message", viewer: "viewer_key" });
  return `${views} SELECT code, message, viewer, count(*) AS view_count FROM v GROUP BY code, message, viewer`;
}

/** The rows after this one, ordered by the views' ends. Copies of a view are adjacent. */
export function pageStatement(
  { table, where }: Rows,
  { columns = LIST_COLUMNS, order = "asc" as Page["order"], limit = 0, after = null as After | null },
): string {
  const condition = after === null ? where : `${where} AND ${follows(after, order)}`;
  return `SELECT ${columns} FROM ${table} WHERE ${condition} ORDER BY view_end_ms ${order}, view_id LIMIT ${literal(limit)}`;
}

export interface After {
  endMs: number;
  viewId: string;
}

const follows = ({ endMs, viewId }: After, order: Page["order"]) =>
  `(view_end_ms ${order === "asc" ? ">" : "<"} ${literal(endMs)} OR (view_end_ms = ${literal(endMs)} AND view_id > ${literal(viewId)}))`;

export const findStatement = ({ table, where }: Rows, viewId: string): string =>
  `SELECT record, timeline FROM ${table} WHERE ${where} AND view_id = ${literal(viewId)} LIMIT 1`;

/** The statements of the embedded engine. Values of callers are bound. Pure. */
import type { Query, Wanted } from "../store/store-calls.ts";
import { SQLITE } from "./dialect.ts";
import type { GroupKey } from "./group-key.ts";
import { columnOf } from "./group-sums.ts";
import type { Page, Question, SeenError } from "./view-engine.ts";

/** Most groups of an answer; the groups with the fewest views are dropped. */
export const MAX_GROUPS = 100_000;

export const LIST_COLUMNS =
  "view_id, os_name, browser_name, view_start_ms, view_end_ms, video_title, error_code, error_message, country, watch_ms, experience_score";

/** No GROUP BY for a constant, because SQLite would sort the views by it. */
const isOneGroup = ({ key }: Question) => key.by === "all";

export function totalsQuery(question: Question, { sql, values }: Query): Query {
  const column = columnOf(question);
  return {
    sql: `SELECT ${SQLITE.key(question.key)} AS key, count(*) AS views, count(DISTINCT viewer_key) AS viewers, sum(watch_ms) AS watchMs,
      sum(playing_ms) AS playingMs, ${column === null ? "0" : `total(${column})`} AS total, count(${column ?? "*"}) AS count
      FROM views WHERE ${sql} ${isOneGroup(question) ? "HAVING count(*) > 0" : "GROUP BY 1"} ORDER BY views DESC LIMIT ${MAX_GROUPS}`,
    values,
  };
}

/** Lists viewers instead of counting them: a viewer may be in several stores. */
export const viewersQuery = ({ key }: Pick<Question, "key">, { sql, values }: Query): Query => ({
  sql: `SELECT DISTINCT ${SQLITE.key(key)} AS key, viewer_key AS viewer FROM views WHERE ${sql}`,
  values,
});

/** How often each value occurs in each group. */
export const histogramQuery = (question: Question, condition: Query): Query =>
  columnHistogramQuery(question.key, columnOf(question)!, condition);

export const columnHistogramQuery = (key: GroupKey, column: string, { sql, values }: Query): Query => ({
  sql: `SELECT ${SQLITE.key(key)} AS key, ${column} AS value, count(*) AS count FROM views
    WHERE ${sql} AND ${column} IS NOT NULL GROUP BY ${key.by === "all" ? "2" : "1, 2"}`,
  values,
});

/**
 * The two values next to a quantile, with the number of values below them. Unlike a histogram, its size does not grow with a group's views. For
 * questions to one store; histograms of several stores can be merged.
 */
export function quantileQuery(question: Question, condition: Query, share: number): Query {
  const { sql: histogram, values } = histogramQuery(question, condition);
  const group = isOneGroup(question) ? "" : "PARTITION BY key";
  const rank = `CAST((total - 1) * ${share} AS INTEGER)`;
  return {
    sql: `SELECT key, value, count, upto - count AS below, total FROM (
        SELECT key, value, count, sum(count) OVER (${group} ORDER BY value) AS upto, sum(count) OVER (${group}) AS total
        FROM (${histogram})
      ) WHERE upto > ${rank} AND upto - count <= ${rank} + 1`,
    values,
  };
}

/** Sums over all views: `total_N` and `count_N` for the N-th column. */
export function figuresQuery(
  { sql, values }: Query,
  wanted: readonly Pick<Wanted, "column" | "isOfSucceeded">[],
): Query {
  const sums = wanted.map(({ column, isOfSucceeded }, index) => {
    const filter = isOfSucceeded ? " FILTER (WHERE has_failed = 0)" : "";
    return `total(${column})${filter} AS total_${index}, count(${column})${filter} AS count_${index}`;
  });
  return { sql: `SELECT ${["count(*) AS all_views", ...sums].join(", ")} FROM views WHERE ${sql}`, values };
}

export const countQuery = ({ sql, values }: Query): Query => ({
  sql: `SELECT count(*) AS count FROM views WHERE ${sql}`,
  values,
});

export const listQuery = ({ sql, values }: Query, order: Page["order"], limit: number, skip: number): Query => ({
  sql: `SELECT ${LIST_COLUMNS} FROM views WHERE ${sql} ORDER BY view_end_ms ${order}, view_id LIMIT ? OFFSET ?`,
  values: [...values, limit, skip],
});

/** One row for each viewer of an error, the number of all views, and all viewers. */
export const errorQueries = ({ sql, values }: Query): [Query, Query, Query] => [
  {
    sql: `SELECT error_code AS code, error_message AS message, viewer_key AS viewer, count(*) AS count,
      max(view_end_ms) AS last FROM views WHERE ${sql} AND has_failed = 1 GROUP BY 1, 2, 3`,
    values,
  },
  countQuery({ sql, values }),
  { sql: `SELECT DISTINCT viewer_key AS viewer FROM views WHERE ${sql}`, values },
];

/** The contexts of errors at the ends of their latest views. The ends select the rows in the index, so few records are read. */
export const contextsQuery = ({ sql, values }: Query, errors: readonly SeenError[]): Query => ({
  sql: `SELECT error_code AS code, error_message AS message, record ->> '$.errorContext' AS context
    FROM json_each(?) AS wanted JOIN views ON view_end_ms = wanted.value ->> 'lastMs'
      AND error_code = wanted.value ->> 'code' AND error_message = wanted.value ->> 'message'
    WHERE has_failed = 1 AND ${sql}`,
  values: [JSON.stringify(errors.map(({ code, message, lastMs }) => ({ code, message, lastMs }))), ...values],
});

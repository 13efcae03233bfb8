import type { Env } from "../../platform/env.ts";
import type { Query, Row } from "../store/store-calls.ts";
import { askStores, monthsIn } from "./ask-stores.ts";
import { type Measurement, type MetricName, METRICS, quantileOf } from "./metrics.ts";
import { type Histogram, histogramQuantile, type RankedValue, rankedQuantile } from "./quantile.ts";
import { conditionOf, type Scope } from "./scope.ts";

/** Views that have the same value of a dimension, or ended in the same interval. */
export interface Group {
  /** Null = views without a value. */
  key: string | number | null;
  views: number;
  viewers: number;
  watchMs: number;
  playingMs: number;
  /** Null = no view of the group has a value. */
  value: number | null;
}

export interface Question {
  workspaceId: string;
  scope: Scope;
  metric: MetricName;
  measurement: Measurement;
  /** An expression of the query builder. */
  keySql: string;
}

/** Puts all views into one group. */
export const ALL_VIEWS = "NULL";

/** Further groups are left out, those with the fewest views first. */
const MAX_GROUPS = 100_000;

/** The metric for each group of views. Exact, also across months. */
export async function groupViews(env: Env, question: Question, nowMs: number): Promise<Group[]> {
  const { workspaceId, scope, metric, measurement } = question;
  const months = monthsIn(env, scope, nowMs);
  const quantile = METRICS[metric].column === null || metric === "unique_viewers" ? null : quantileOf(measurement);
  const queries = [totalsQuery(question)];
  if (months.length > 1) queries.push(viewersQuery(question));
  if (quantile !== null) queries.push(quantileQuery(question, months.length > 1 ? null : quantile));
  const answers = await askStores(env, workspaceId, months, queries);
  const groups = mergeTotals(answers.map(([totals]) => totals!));
  if (months.length > 1)
    countViewers(
      groups,
      answers.map(([, viewers]) => viewers!),
    );
  const quantiles =
    quantile === null
      ? null
      : quantilesOf(
          answers.map((rows) => rows.at(-1)!),
          quantile,
        );
  return [...groups.values()].map(({ key, total, count, ...sums }) => ({
    key,
    ...sums,
    value: valueOf(question, { ...sums, total, count }, quantiles?.get(key) ?? null),
  }));
}

/** @param months the answers to `quantileQuery` */
function quantilesOf(months: Row[][], share: number): Map<Group["key"], number | null> {
  const [only, ...others] = months;
  if (only === undefined) return new Map();
  if (others.length > 0)
    return new Map([...mergeHistograms(months)].map(([key, histogram]) => [key, histogramQuantile(histogram, share)]));
  const groups = Map.groupBy(only, (row) => row["key"] ?? null);
  const ranked = (rows: Row[]) => rows as unknown as RankedValue[];
  return new Map([...groups].map(([key, rows]) => [key, rankedQuantile(ranked(rows), share)]));
}

interface Sums {
  views: number;
  viewers: number;
  watchMs: number;
  playingMs: number;
  total: number;
  /** Views with a value. */
  count: number;
}

function valueOf({ metric, measurement }: Question, sums: Sums, quantile: number | null): number | null {
  if (metric === "views") return sums.views;
  if (metric === "unique_viewers") return sums.viewers;
  if (measurement === "count") return sums.count;
  if (sums.count === 0) return null;
  if (measurement === "sum") return sums.total;
  return measurement === "avg" ? sums.total / sums.count : quantile;
}

function totalsQuery({ scope, metric, keySql }: Question): Query {
  const { sql, values } = conditionOf(scope);
  const column = metric === "unique_viewers" ? null : METRICS[metric].column;
  const isOneGroup = keySql === ALL_VIEWS; // SQLite would sort the views by the constant
  return {
    sql: `SELECT ${keySql} AS key, count(*) AS views, count(DISTINCT viewer_key) AS viewers, sum(watch_ms) AS watchMs,
      sum(playing_ms) AS playingMs, ${column === null ? "0" : `total(${column})`} AS total, count(${column ?? "*"}) AS count
      FROM views WHERE ${sql} ${isOneGroup ? "HAVING count(*) > 0" : "GROUP BY 1"} ORDER BY views DESC LIMIT ${MAX_GROUPS}`,
    values,
  };
}

/** The same viewer may be in several months. */
function viewersQuery({ scope, keySql }: Question): Query {
  const { sql, values } = conditionOf(scope);
  return { sql: `SELECT DISTINCT ${keySql} AS key, viewer_key AS viewer FROM views WHERE ${sql}`, values };
}

/**
 * How often each value occurs in each group.
 *
 * @param share only the two values next to this quantile, with the count of the values below them in front: a group of a million views can
 *   have as many values. Null = all values, which the quantile over several months needs
 */
function quantileQuery({ scope, metric, keySql }: Question, share: number | null): Query {
  const { sql, values } = conditionOf(scope);
  const { column } = METRICS[metric];
  const isOneGroup = keySql === ALL_VIEWS;
  const histogram = `SELECT ${keySql} AS key, ${column} AS value, count(*) AS count FROM views
    WHERE ${sql} AND ${column} IS NOT NULL GROUP BY ${isOneGroup ? "2" : "1, 2"}`;
  if (share === null) return { sql: histogram, values };
  const group = isOneGroup ? "" : "PARTITION BY key";
  const rank = `CAST((total - 1) * ${share} AS INTEGER)`;
  return {
    sql: `SELECT key, value, count, upto - count AS below, total FROM (
        SELECT key, value, count, sum(count) OVER (${group} ORDER BY value) AS upto, sum(count) OVER (${group}) AS total
        FROM (${histogram})
      ) WHERE upto > ${rank} AND upto - count <= ${rank} + 1`,
    values,
  };
}

type Merged = Sums & { key: Group["key"] };

function mergeTotals(months: Row[][]): Map<Group["key"], Merged> {
  const groups = new Map<Group["key"], Merged>();
  for (const row of months.flat()) {
    const key = row["key"] ?? null;
    const group = groups.get(key) ?? { key, views: 0, viewers: 0, watchMs: 0, playingMs: 0, total: 0, count: 0 };
    for (const name of ["views", "viewers", "watchMs", "playingMs", "total", "count"] as const)
      group[name] += Number(row[name] ?? 0);
    groups.set(key, group);
  }
  return groups;
}

function countViewers(groups: Map<Group["key"], Merged>, months: Row[][]): void {
  const viewers = Map.groupBy(months.flat(), (row) => row["key"] ?? null);
  for (const [key, group] of groups) group.viewers = new Set(viewers.get(key)?.map((row) => row["viewer"])).size;
}

function mergeHistograms(months: Row[][]): Map<Group["key"], Histogram> {
  const histograms = new Map<Group["key"], Histogram>();
  for (const row of months.flat()) {
    const key = row["key"] ?? null;
    const histogram = histograms.get(key) ?? new Map<number, number>();
    const value = Number(row["value"]);
    histogram.set(value, (histogram.get(value) ?? 0) + Number(row["count"]));
    histograms.set(key, histogram);
  }
  return histograms;
}

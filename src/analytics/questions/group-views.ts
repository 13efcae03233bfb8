import type { Env } from "../../platform/env.ts";
import type { Row } from "../store/store-calls.ts";
import { askStores, monthsIn } from "./ask-stores.ts";
import { histogramQuery, quantileQuery, totalsQuery, viewersQuery } from "./embedded-sql.ts";
import { addSums, type Groups, shareOf, toGroups } from "./group-sums.ts";
import { type Histogram, histogramQuantile, type RankedValue, rankedQuantile } from "./quantile.ts";
import { conditionOf } from "./scope.ts";
import type { Group, Question } from "./view-engine.ts";

/** The metric for each group of views. Exact, also across months. */
export async function groupViews(env: Env, workspaceId: string, question: Question, nowMs: number): Promise<Group[]> {
  const { scope } = question;
  const condition = conditionOf(scope);
  const months = monthsIn(env, scope, nowMs);
  const isSeveral = months.length > 1;
  const share = shareOf(question);
  const queries = [totalsQuery(question, condition)];
  if (isSeveral) queries.push(viewersQuery(question, condition));
  if (share !== null)
    queries.push(isSeveral ? histogramQuery(question, condition) : quantileQuery(question, condition, share));
  const answers = await askStores(env, workspaceId, months, queries);
  const groups: Groups = new Map();
  for (const [totals] of answers) addSums(groups, totals!);
  if (isSeveral) {
    const viewers = answers.flatMap(([, rows]) => rows!);
    countViewers(groups, viewers);
  }
  const last = answers.map((rows) => rows.at(-1)!);
  const quantiles = share === null ? null : isSeveral ? mergedQuantiles(last, share) : rankedQuantiles(last, share);
  return toGroups(question, groups, (key) => quantiles?.get(key) ?? null);
}

type Quantiles = Map<Group["key"], number | null>;

const mergedQuantiles = (months: Row[][], share: number): Quantiles =>
  new Map([...mergeHistograms(months)].map(([key, histogram]) => [key, histogramQuantile(histogram, share)]));

function rankedQuantiles([rows = []]: Row[][], share: number): Quantiles {
  const groups = Map.groupBy(rows, (row) => row["key"] ?? null);
  return new Map([...groups].map(([key, group]) => [key, rankedQuantile(group as unknown as RankedValue[], share)]));
}

function countViewers(groups: Groups, rows: Row[]): void {
  const viewers = Map.groupBy(rows, (row) => row["key"] ?? null);
  for (const [key, group] of groups) group.viewers = new Set(viewers.get(key)?.map((row) => row["viewer"])).size;
}

export function mergeHistograms(sources: Row[][]): Map<Group["key"], Histogram> {
  const histograms = new Map<Group["key"], Histogram>();
  for (const row of sources.flat()) {
    const key = row["key"] ?? null;
    const histogram = histograms.get(key) ?? new Map<number, number>();
    const value = Number(row["value"]);
    histogram.set(value, (histogram.get(value) ?? 0) + Number(row["count"]));
    histograms.set(key, histogram);
  }
  return histograms;
}

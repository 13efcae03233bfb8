import type { Env } from "../../platform/env.ts";
import type { Row } from "../store/store-calls.ts";
import { askStores, monthsIn } from "./ask-stores.ts";
import { histogramQuery, totalsQuery, viewersQuery } from "./embedded-sql.ts";
import { addSums, type Groups, shareOf, toGroups } from "./group-sums.ts";
import { histogramQuantile, type Histogram } from "./quantile.ts";
import { conditionOf } from "./scope.ts";
import type { Group, Question } from "./view-engine.ts";

/** The metric for each group of views. Exact, also across months. */
export async function groupViews(env: Env, workspaceId: string, question: Question, nowMs: number): Promise<Group[]> {
  const { scope } = question;
  const condition = conditionOf(scope);
  const months = monthsIn(env, scope, nowMs);
  const share = shareOf(question);
  const queries = [totalsQuery(question, condition)];
  if (months.length > 1) queries.push(viewersQuery(question, condition));
  if (share !== null) queries.push(histogramQuery(question, condition));
  const answers = await askStores(env, workspaceId, months, queries);
  const groups: Groups = new Map();
  for (const [totals] of answers) addSums(groups, totals!);
  if (months.length > 1) {
    const viewers = answers.flatMap(([, rows]) => rows!);
    countViewers(groups, viewers);
  }
  const histograms = share === null ? null : mergeHistograms(answers.map((rows) => rows.at(-1)!));
  return toGroups(question, groups, (key) => {
    const histogram = histograms?.get(key);
    return histogram === undefined || share === null ? null : histogramQuantile(histogram, share);
  });
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

/** Merges the figures of groups of views from several sources of rows. Pure. */
import type { Row } from "../store/store-calls.ts";
import { type Measurement, METRICS, quantileOf } from "./metrics.ts";
import type { Group, Question } from "./view-engine.ts";

export interface Sums {
  key: Group["key"];
  views: number;
  viewers: number;
  watchMs: number;
  playingMs: number;
  total: number;
  /** Views with a value. */
  count: number;
}

export type Groups = Map<Group["key"], Sums>;

const NAMES = ["views", "viewers", "watchMs", "playingMs", "total", "count"] as const;

/** Adds the rows of a source. A viewer of several sources is counted in each. */
export function addSums(groups: Groups, rows: readonly Row[]): Groups {
  for (const row of rows) {
    const key = row["key"] ?? null;
    const group = groups.get(key) ?? { key, views: 0, viewers: 0, watchMs: 0, playingMs: 0, total: 0, count: 0 };
    for (const name of NAMES) group[name] += Number(row[name] ?? 0);
    groups.set(key, group);
  }
  return groups;
}

/** The column to sum; null = the metric counts views or viewers. */
export const columnOf = ({ metric }: Pick<Question, "metric">): string | null =>
  metric === "unique_viewers" ? null : METRICS[metric].column;

/** The quantile's share, 0 to 1; null = the question asks for none. */
export const shareOf = (question: { metric: Question["metric"]; measurement: Measurement }): number | null =>
  columnOf(question) === null ? null : quantileOf(question.measurement);

/** @param quantile for the group with a key */
export const toGroups = (question: Question, groups: Groups, quantile: (key: Group["key"]) => number | null): Group[] =>
  [...groups.values()].map(({ total, count, ...sums }) => ({
    ...sums,
    value: valueOf(question, { ...sums, total, count }, () => quantile(sums.key)),
  }));

function valueOf({ metric, measurement }: Question, sums: Sums, quantile: () => number | null): number | null {
  if (metric === "views") return sums.views;
  if (metric === "unique_viewers") return sums.viewers;
  if (measurement === "count") return sums.count;
  if (sums.count === 0) return null;
  if (measurement === "sum") return sums.total;
  return measurement === "avg" ? sums.total / sums.count : quantile();
}

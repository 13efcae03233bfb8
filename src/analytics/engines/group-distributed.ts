import type { AnswerRow } from "../r2-sql/ask-r2-sql.ts";
import type { GroupKey } from "../questions/group-key.ts";
import { histogramQuery, totalsQuery, viewersQuery } from "../questions/embedded-sql.ts";
import { addSums, columnOf, type Groups, shareOf, toGroups } from "../questions/group-sums.ts";
import { mergeHistograms } from "../questions/group-views.ts";
import { histogramQuantile, type Histogram } from "../questions/quantile.ts";
import type { Group, Question } from "../questions/view-engine.ts";
import type { Row } from "../store/store-calls.ts";
import { mergedQuantile, sharesAround } from "./merge-quantiles.ts";
import {
  binsStatement,
  overlapStatement,
  quantilesStatement,
  type Rows,
  totalsStatement,
  valueOfBin,
} from "./r2-statements.ts";
import {
  askOverlap,
  askRemainder,
  askTable,
  handedOverIn,
  remainderOf,
  rowsBeside,
  type Sources,
} from "./two-sources.ts";

/** Up to this many views, several groups are queried by bins, which give at most a row per view. Beyond it, each group has a sketch. */
const MAX_BINNED = 200_000;

/**
 * The metric for each group of views. Counts and sums are exact. Quantiles over all views, and those of few views, are within 0.2 %; others
 * are those of R2 SQL's sketch (`approx_percentile_cont`), whose share of smaller values is within one point of the wanted one.
 */
export async function groupDistributed(sources: Sources, question: Question, maxBinned = MAX_BINNED): Promise<Group[]> {
  const { scope, key } = question;
  const condition = remainderOf(scope);
  const share = shareOf(question);
  const queries = [totalsQuery(question, condition), viewersQuery(question, condition)];
  if (share !== null) queries.push(histogramQuery(question, condition));
  const remainders = await askRemainder(sources, scope, { queries });
  const rows = rowsBeside(sources, handedOverIn(remainders), scope);

  const groups: Groups = new Map();
  for (const remainder of remainders) addSums(groups, remainder.rows[0]!);
  const here = viewersByGroup(remainders.flatMap((remainder) => remainder.rows[1]!));
  for (const [group, viewers] of here) groups.get(group)!.viewers = viewers.size;
  const totals = await askTable(sources, rows, (of) => totalsStatement(of, question));
  const inTable = new Map(totals.map((row) => [keyOf(key, row), Number(row["all_count"])]));
  addSums(
    groups,
    totals.map((row) => toSums(key, row)),
  );
  const viewers = [...new Set([...here.values()].flatMap((all) => [...all]))];
  const overlap =
    totals.length === 0
      ? []
      : await askOverlap(sources, rows, viewers, (of, some) => overlapStatement(of, question, some));
  for (const row of overlap) {
    const group = keyOf(key, row);
    if (here.get(group)?.has(String(row["viewer"])) === true) groups.get(group)!.viewers -= 1;
  }

  if (share === null) return toGroups(question, groups, () => null);
  const known = mergeHistograms(remainders.map((remainder) => remainder.rows[2]!));
  const views = totals.reduce((sum, row) => sum + Number(row["all_views"]), 0);
  if (key.by === "all" || views <= maxBinned) {
    addBins(known, key, await askTable(sources, rows, (of) => binsStatement(of, key, columnOf(question)!)));
    return toGroups(question, groups, (group) => histogramQuantile(known.get(group) ?? new Map(), share));
  }
  const quantiles = await askQuantiles(sources, rows, question, known.size === 0 ? [share] : sharesAround(share));
  return toGroups(question, groups, (group) =>
    quantileOf(share, quantiles.get(group) ?? [], inTable.get(group) ?? 0, known.get(group) ?? new Map()),
  );
}

/** Returns the middle of a bin, within 0.2 % of the exact value. */
export function addBins(histograms: Map<Group["key"], Histogram>, key: GroupKey, rows: readonly AnswerRow[]): void {
  for (const row of rows) {
    const group = keyOf(key, row);
    const histogram = histograms.get(group) ?? new Map<number, number>();
    const value = valueOfBin(row["bin"] == null ? null : Number(row["bin"]));
    histograms.set(group, histogram.set(value, (histogram.get(value) ?? 0) + Number(row["view_count"])));
  }
}

function viewersByGroup(rows: readonly Row[]): Map<Group["key"], Set<string>> {
  const groups = new Map<Group["key"], Set<string>>();
  for (const row of rows) {
    const group = row["key"] ?? null;
    groups.set(group, (groups.get(group) ?? new Set()).add(String(row["viewer"])));
  }
  return groups;
}

const keyOf = ({ by }: GroupKey, row: AnswerRow): Group["key"] => {
  const value = row["group_key"] ?? null;
  if (value === null || by === "all") return null;
  return by === "interval" ? Number(value) : String(value);
};

const toSums = (key: GroupKey, row: AnswerRow): Row => ({
  key: keyOf(key, row),
  views: Number(row["all_views"]),
  viewers: Number(row["all_viewers"]),
  watchMs: Number(row["all_watch"]),
  playingMs: Number(row["all_playing"]),
  total: Number(row["all_measured"]),
  count: Number(row["all_count"]),
});

type Quantiles = (readonly [share: number, value: number])[];

async function askQuantiles(sources: Sources, rows: Rows | null, question: Question, shares: number[]) {
  const answer = await askTable(sources, rows, (of) => quantilesStatement(of, question, shares));
  return new Map<Group["key"], Quantiles>(
    answer.map((row) => [
      keyOf(question.key, row),
      shares.map((share, index) => [share, Number(row[`q${index}`])] as const),
    ]),
  );
}

function quantileOf(share: number, quantiles: Quantiles, count: number, known: Histogram): number | null {
  if (quantiles.length === 0 || count === 0) return histogramQuantile(known, share);
  if (known.size > 0) return mergedQuantile(quantiles, count, known, share);
  return quantiles.find(([one]) => one === share)![1];
}

import { columnHistogramQuery, figuresQuery, viewersQuery } from "../questions/embedded-sql.ts";
import { ALL } from "../questions/group-key.ts";
import { mergeHistograms } from "../questions/group-views.ts";
import { histogramQuantile } from "../questions/quantile.ts";
import type { Scope } from "../questions/scope.ts";
import type { ColumnFigures, Figures, Row, Wanted } from "../store/store-calls.ts";
import { addBins } from "./group-distributed.ts";
import { binsStatement, figuresStatement, overlapStatement } from "./r2-statements.ts";
import {
  askOverlap,
  askRemainder,
  askTable,
  handedOverIn,
  remainderOf,
  rowsBeside,
  type Sources,
} from "./two-sources.ts";

/**
 * Sums and quantiles of many columns: one statement for all sums, and one for each column with quantiles. Counts and sums are exact, quantiles
 * within 0.2 %.
 */
export async function figuresDistributed(sources: Sources, scope: Scope, wanted: readonly Wanted[]): Promise<Figures> {
  const condition = remainderOf(scope);
  const ranked = wanted.filter(({ quantiles }) => quantiles.length > 0);
  const remainders = await askRemainder(sources, scope, {
    queries: [
      figuresQuery(condition, wanted),
      viewersQuery({ key: ALL }, condition),
      ...ranked.map(({ column }) => columnHistogramQuery(ALL, column, condition)),
    ],
  });
  const rows = rowsBeside(sources, handedOverIn(remainders), scope);
  const inTable = await askTable(sources, rows, (of) => figuresStatement(of, wanted));
  const sums: Row[] = [...remainders.flatMap((remainder) => remainder.rows[0]!), ...(inTable as Row[])];
  const sum = (name: string) => sums.reduce((total, row) => total + Number(row[name] ?? 0), 0);

  const viewers = [...new Set(remainders.flatMap(({ rows: [, seen] }) => seen!.map((row) => String(row["viewer"]))))];
  const shared = await askOverlap(sources, rows, viewers, (of, some) => overlapStatement(of, { key: ALL }, some));
  const quantiles = await Promise.all(
    ranked.map(async ({ column, quantiles: shares }, index) => {
      const known = mergeHistograms(remainders.map((remainder) => remainder.rows[2 + index]!));
      addBins(known, ALL, await askTable(sources, rows, (of) => binsStatement(of, ALL, column)));
      return [column, shares.map((share) => histogramQuantile(known.get(null) ?? new Map(), share))] as const;
    }),
  );
  const ofColumn = new Map(quantiles);
  return {
    views: sum("all_views"),
    viewers: viewers.length + Number(inTable[0]?.["all_viewers"] ?? 0) - shared.length,
    columns: wanted.map(({ column }, index): ColumnFigures => ({
      column,
      total: sum(`total_${index}`),
      count: sum(`count_${index}`),
      quantiles: ofColumn.get(column) ?? [],
    })),
  };
}

import type { Env } from "../../platform/env.ts";
import { DistinctHashes } from "../store/distinct-hashes.ts";
import { viewStore, type ColumnFigures, type Figures, type StoreFigures, type Wanted } from "../store/store-calls.ts";
import { monthsIn } from "./ask-stores.ts";
import { quantilesOfMonths } from "./quantiles-of-months.ts";
import { filtersOf, type Scope } from "./scope.ts";

/** Each store reads its views once for all figures. Quantiles over several months need a second reading. */
export async function figuresOfMonths(
  env: Env,
  workspaceId: string,
  scope: Scope,
  { wanted, nowMs }: { wanted: Wanted[]; nowMs: number },
): Promise<Figures> {
  const months = monthsIn(env, scope, nowMs);
  const { fromMs, toMs } = scope;
  const span = { fromMs, toMs, filters: filtersOf(scope) };
  const withViewers = months.length > 1;
  const stores = await Promise.all(
    months.map((month) => viewStore(env, { workspaceId, month }).readFigures({ span, wanted, withViewers })),
  );
  const sums = wanted.map((_, index) => ({
    total: sum(stores, ({ columns }) => columns[index]!.total),
    count: sum(stores, ({ columns }) => columns[index]!.count),
  }));
  const ranked = wanted.flatMap(({ column, quantiles }, index) =>
    quantiles.map((share, at) => {
      const neighbours = stores.map(({ columns }) => columns[index]!.neighbours[at] ?? null);
      return { column, share, count: sums[index]!.count, neighbours: neighbours.filter((one) => one !== null) };
    }),
  );
  const quantiles = await quantilesOfMonths(ranked, (ranges) =>
    Promise.all(months.map((month) => viewStore(env, { workspaceId, month }).readRanges(span, ranges))),
  );
  const columns = wanted.map(({ column, quantiles: shares }, index): ColumnFigures => {
    return { column, ...sums[index]!, quantiles: quantiles.splice(0, shares.length) };
  });
  return { views: sum(stores, ({ views }) => views), viewers: viewersOf(stores), columns };
}

const sum = <T>(items: readonly T[], numberOf: (item: T) => number): number =>
  items.reduce((total, item) => total + numberOf(item), 0);

/** Counts a viewer of several months once. */
function viewersOf(stores: readonly StoreFigures[]): number {
  const [only, ...others] = stores;
  if (others.length === 0) return only?.viewers ?? 0;
  const viewers = new DistinctHashes();
  for (const { viewerHashes } of stores) viewers.add(viewerHashes!);
  return viewers.size;
}

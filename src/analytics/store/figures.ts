/** Computes many figures in one reading of the views, for the comparison of all metrics. */
import { DistinctHashes } from "./distinct-hashes.ts";
import { SLOTS, VIEWER_SLOT } from "./packed-figures.ts";
import type { Span, StoreColumn, StoreFigures, Wanted } from "./store-calls.ts";
import { Tally } from "./tally.ts";
import type { ViewTable } from "./view-table.ts";

/** Most values in memory, 8 bytes each: the Durable Objects of a class share 128 MB. */
const VALUES_AT_ONCE = 4_000_000;

/**
 * Reads the views once. For many views, only the values near a quantile are kept; a sample estimates where it lies. If the estimate was wrong, the
 * views are read again.
 *
 * @param withViewers also returns the viewers, for a count over several stores
 */
export function figuresOf(
  views: ViewTable,
  span: Span,
  wanted: readonly Wanted[],
  { withViewers = false, valuesAtOnce = VALUES_AT_ONCE } = {},
): StoreFigures {
  const tallies = wanted.map((one) => new Tally(one));
  const viewers = new DistinctHashes();
  let viewCount = 0;
  let scale: number | null = null;
  for (const figures of views.packed(span)) {
    viewCount += figures.length / SLOTS;
    viewers.add(slotIn(figures, VIEWER_SLOT));
    for (const tally of tallies) tally.take(figures);
    if (scale === null && sum(tallies, ({ held }) => held) >= valuesAtOnce)
      scale = narrow(tallies, views, span, valuesAtOnce);
  }
  if (scale !== null) moveWindows(tallies, views, span, scale);
  const columns = tallies.map((tally): StoreColumn => {
    const { wanted, total, count } = tally;
    const neighbours = (share: number) =>
      count === 0 ? null : (tally.neighbours(share) ?? views.neighbours(span, wanted.column, share, count));
    return { column: wanted.column, total, count, neighbours: wanted.quantiles.map(neighbours) };
  });
  return { views: viewCount, viewers: viewers.size, viewerHashes: withViewers ? viewers.toArray() : null, columns };
}

/** @returns the factor by which windows are narrowed so that their values fit into memory; 0 to 1 */
function narrow(tallies: readonly Tally[], views: ViewTable, span: Span, valuesAtOnce: number): number {
  const sample = views.packedSample(span);
  const scale = Math.min(1, valuesAtOnce / sum(tallies, (tally) => tally.sample(sample)));
  for (const tally of tallies) tally.narrow(scale);
  return scale;
}

function moveWindows(tallies: readonly Tally[], views: ViewTable, span: Span, scale: number): void {
  const moved = tallies.filter((tally) => tally.moveWindows(scale));
  if (moved.length === 0) return;
  for (const figures of views.packed(span)) for (const tally of moved) tally.takeAgain(figures);
}

const sum = <T>(items: readonly T[], numberOf: (item: T) => number): number =>
  items.reduce((total, item) => total + numberOf(item), 0);

function slotIn(figures: Float64Array, slot: number): Float64Array {
  const numbers = new Float64Array(figures.length / SLOTS);
  for (let view = 0; view < numbers.length; view += 1) numbers[view] = figures[view * SLOTS + slot]!;
  return numbers;
}

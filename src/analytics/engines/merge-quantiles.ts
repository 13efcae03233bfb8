/** A quantile over two sets of views: one with known values, and one with known quantiles only. Pure. */
import type { Histogram } from "../questions/quantile.ts";

/** Dense near the wanted share, because the known views move the result only a little. */
export function sharesAround(share: number): number[] {
  const steps = [0.0005, 0.001, 0.002, 0.004, 0.008, 0.015, 0.03, 0.06, 0.12, 0.25, 0.5];
  const near = steps.flatMap((step) => [share - step, share + step]).filter((one) => one > 0 && one < 1);
  return [...new Set([0, share, 1, ...near])].toSorted((one, other) => one - other);
}

const HALVINGS = 60;

/**
 * @param quantiles [share, value] of the first set, in ascending order; the set has `count` views
 * @param known the values of the other set, in ascending order
 */
export function mergedQuantile(
  quantiles: readonly (readonly [share: number, value: number])[],
  count: number,
  known: Histogram,
  share: number,
): number {
  const values = [...known];
  const total = count + values.reduce((sum, [, times]) => sum + times, 0);
  /** Number of views up to the value, interpolated between the quantiles. */
  const upTo = (value: number) =>
    count * shareUpTo(quantiles, value) + values.reduce((sum, [one, times]) => sum + (one <= value ? times : 0), 0);
  let low = Math.min(quantiles[0]![1], ...known.keys());
  let high = Math.max(quantiles.at(-1)![1], ...known.keys());
  for (let step = 0; step < HALVINGS && low < high; step += 1) {
    const middle = (low + high) / 2;
    if (upTo(middle) < share * total) low = middle;
    else high = middle;
  }
  return high;
}

function shareUpTo(quantiles: readonly (readonly [number, number])[], value: number): number {
  const above = quantiles.findIndex(([, one]) => one > value);
  if (above === 0) return 0;
  if (above === -1) return 1;
  const [[fromShare, from], [toShare, to]] = [quantiles[above - 1]!, quantiles[above]!];
  return fromShare + ((value - from) / (to - from)) * (toShare - fromShare);
}

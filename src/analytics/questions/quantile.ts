/** How often each value occurs. */
export type Histogram = Map<number, number>;

/** Interpolates between the two nearest values, as SQL's `percentile_cont`. @param share 0 to 1; @returns null without a value */
export function histogramQuantile(histogram: Histogram, share: number): number | null {
  const values = [...histogram].toSorted(([one], [other]) => one - other);
  const count = values.reduce((sum, [, times]) => sum + times, 0);
  if (count === 0) return null;
  const position = share * (count - 1);
  const lower = valueAt(values, Math.floor(position));
  return lower + (valueAt(values, Math.ceil(position)) - lower) * (position % 1);
}

/** A value with the number of smaller ones, in a group of `total` values. */
export interface RankedValue {
  value: number;
  count: number;
  below: number;
  total: number;
}

/** Computes the same from the values next to the quantile. */
export function rankedQuantile(values: readonly RankedValue[], share: number): number | null {
  const [first] = values;
  if (first === undefined) return null;
  const position = share * (first.total - 1);
  const at = (rank: number) => values.find(({ below, count }) => below <= rank && rank < below + count)?.value;
  const lower = at(Math.floor(position)) ?? first.value;
  return lower + ((at(Math.ceil(position)) ?? lower) - lower) * (position % 1);
}

/** @param index into the sorted values, duplicates included */
function valueAt(values: [value: number, times: number][], index: number): number {
  let passed = 0;
  for (const [value, times] of values) {
    passed += times;
    if (index < passed) return value;
  }
  return values.at(-1)![0];
}

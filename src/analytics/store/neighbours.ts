/** The two values next to a quantile. They are equal when the quantile is one of the values. */
export type Neighbours = [below: number, above: number];

/** Interpolates as SQL's `percentile_cont`. @param share 0 to 1; @param count of all values */
export const quantileBetween = ([below, above]: Neighbours, share: number, count: number): number =>
  below + (above - below) * ((share * (count - 1)) % 1);

export type FieldValue = string | number | boolean;
/** Values by field name. */
export type Fields = Record<string, FieldValue>;

/** 115 days in milliseconds, or 10 Gbit/s. A single larger value would spoil every average and sum. */
const LARGEST_FIGURE = 1e10;

/** A figure stated by a player; null when it is impossible. */
export const figureOf = (value: FieldValue | undefined): number | null =>
  typeof value === "number" && value >= 0 && value <= LARGEST_FIGURE ? value : null;

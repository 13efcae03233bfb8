export type FieldValue = string | number | boolean;
/** Values by the name of their field. */
export type Fields = Record<string, FieldValue>;

/** Milliseconds of 115 days, and 10 Gbit/s. One view beyond it would make every average and sum useless. */
const LARGEST_FIGURE = 1e10;

/** A figure that a player states; null for what no view can have. */
export const figureOf = (value: FieldValue | undefined): number | null =>
  typeof value === "number" && value >= 0 && value <= LARGEST_FIGURE ? value : null;

/** The key by which views are grouped. */
export type GroupKey =
  | { by: "all" }
  | { by: "dimension"; dimension: string }
  /** The start of the interval in which a view ended, epoch ms. */
  | { by: "interval"; intervalMs: number };

export const ALL: GroupKey = { by: "all" };
export const byDimension = (dimension: string): GroupKey => ({ by: "dimension", dimension });

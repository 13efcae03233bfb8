const DAY_MS = 24 * 3600_000;

/** Views of the present month, in the last seven days. */
export function daysOf(nowMs: number): number {
  const at = new Date(nowMs);
  return Math.min(7, (nowMs - Date.UTC(at.getUTCFullYear(), at.getUTCMonth())) / DAY_MS);
}

/** One step of filling a store; the caller repeats it with the next `from`. */
export interface Filling {
  workspaceId: string;
  nowMs: number;
  /** Views are simulated one by one up to this number, and copied from then on. */
  simulated: number;
  from: number;
  to: number;
}

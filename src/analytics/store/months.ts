/** The month whose store has a view: that of its end or last activity, in UTC, such as "2026-11". Pure. */
export const monthOf = (atMs: number): string => new Date(atMs).toISOString().slice(0, 7);

/** The months of a time span, in order; the end is included. */
export function monthsBetween(fromMs: number, toMs: number): string[] {
  const months: string[] = [];
  for (let atMs = fromMs; atMs <= toMs; atMs = startOfNextMonth(atMs)) months.push(monthOf(atMs));
  return months;
}

function startOfNextMonth(atMs: number): number {
  const at = new Date(atMs);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1);
}

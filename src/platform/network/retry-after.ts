/**
 * RFC 9110 §10.2.3: seconds or a date.
 *
 * @returns milliseconds from `now`, never negative; null when absent or unreadable
 */
export function parseRetryAfterMs(value: string | null, now: Date): number | null {
  if (value === null) return null;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1000;
  const date = /[a-z]/i.test(value) ? Date.parse(value) : NaN; // "-5" would be read as a year
  return Number.isNaN(date) ? null : Math.max(0, date - now.getTime());
}

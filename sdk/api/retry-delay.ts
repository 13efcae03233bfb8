/** When a request is sent again. Pure. */

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 10_000;
/** A longer `Retry-After` is the caller's to wait for. */
const LONGEST_RETRY_AFTER_MS = 60_000;

/** Statuses that a repetition may cure. */
const TRANSIENT = new Set([408, 429, 500, 502, 503, 504]);
export const isTransient = (status: number): boolean => TRANSIENT.has(status);

/** The delay before the repetition with this number, which counts from 1, in milliseconds. @param random from 0 to 1 */
export function backoffMs(repetition: number, random: number): number {
  const longest = Math.min(FIRST_DELAY_MS * 2 ** (repetition - 1), LONGEST_DELAY_MS);
  return longest * (0.5 + random / 2);
}

/**
 * The delay that a `Retry-After` asks for, in milliseconds: seconds, or a date (RFC 9110, 10.2.3).
 *
 * @returns null without a valid one; Infinity when it is too long to wait for
 */
export function askedDelayMs(retryAfter: string | null, nowMs: number): number | null {
  if (retryAfter === null || retryAfter.trim() === "") return null;
  const isSeconds = /^\d+$/.test(retryAfter.trim());
  const ms = isSeconds ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - nowMs;
  if (Number.isNaN(ms)) return null;
  return ms > LONGEST_RETRY_AFTER_MS ? Infinity : Math.max(ms, 0);
}

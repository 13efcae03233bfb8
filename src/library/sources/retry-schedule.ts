/** Delays before the retries, four minutes in total. */
export const SOURCE_RETRY_DELAYS_MS: readonly number[] = [2_000, 8_000, 20_000, 60_000, 150_000];

/** A longer `Retry-After` is cut to this. */
const MAX_RETRY_AFTER_MS = 300_000;

/**
 * The delay before attempt number `attempt` + 1; null when no attempt is left.
 *
 * @param attempt number of attempts that have failed without progress, from 1
 * @param retryAfterMs the server's `Retry-After`: a lower bound of the delay, up to five minutes
 * @param scale factor of all delays; tests pass less than 1
 */
export function sourceRetryDelayMs(attempt: number, retryAfterMs: number | null = null, scale = 1): number | null {
  const delayMs = SOURCE_RETRY_DELAYS_MS[attempt - 1];
  if (delayMs === undefined) return null;
  return Math.max(delayMs, Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS)) * scale;
}

/** Tries after the first one; the waits between them add up to four minutes. */
export const SOURCE_RETRY_DELAYS_MS: readonly number[] = [2_000, 8_000, 20_000, 60_000, 150_000];

/** A longer `Retry-After` is cut to this. */
const MAX_RETRY_AFTER_MS = 300_000;

/**
 * How long to wait before try number `attempt` + 1; null when it is time to give up.
 *
 * @param attempt how many tries have failed without any progress, from 1
 * @param retryAfterMs what the server asked for (`Retry-After`): never asked again sooner, within five minutes
 * @param scale tests shrink all waits by it
 */
export function sourceRetryDelayMs(attempt: number, retryAfterMs: number | null = null, scale = 1): number | null {
  const delayMs = SOURCE_RETRY_DELAYS_MS[attempt - 1];
  if (delayMs === undefined) return null;
  return Math.max(delayMs, Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS)) * scale;
}

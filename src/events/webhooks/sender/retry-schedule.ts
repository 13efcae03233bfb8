const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Waits before the second and each later try. They grow at first; later there are two or three tries a day. Together they are about a
 * quarter of an hour short of three days. Even with its jitter, the longest is below 12 h, the longest delay of a queue message.
 */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
  ...Array.from({ length: 6 }, () => 10.5 * HOUR_MS),
];

/** No try starts later than this after the first. */
export const RETRY_WINDOW_MS = 72 * HOUR_MS;

/** The longest wait, even if `Retry-After` asks for more. */
export const MAX_RETRY_GAP_MS = 12 * HOUR_MS;

/** Each wait varies by up to this fraction, so that deliveries that failed together are not retried together. */
const RETRY_JITTER = 0.1;

/** When less than this is left of the window, there is no further try, because it would follow the last one immediately. */
const SHORTEST_LAST_GAP_MS = RETRY_DELAYS_MS[0]!;

export interface FailedTries {
  /** Failed tries so far, from 1. */
  tries: number;
  firstTriedAtMs: number;
  /** When the last one failed. */
  nowMs: number;
  /** `Retry-After`. The wait is at least this, unless it would exceed the longest wait or the window; null = none. */
  retryAfterMs: number | null;
  /** 0 to 1. */
  random: number;
  /** Factor on the waits; tests use less than 1. */
  scale?: number;
}

/** When a delivery is tried again, epoch ms; null = no tries or no time left. */
export function nextAttemptAt({
  tries,
  firstTriedAtMs,
  nowMs,
  retryAfterMs,
  random,
  scale = 1,
}: FailedTries): number | null {
  const delayMs = RETRY_DELAYS_MS[tries - 1];
  const endMs = firstTriedAtMs + RETRY_WINDOW_MS;
  if (delayMs === undefined || nowMs > endMs - SHORTEST_LAST_GAP_MS) return null;
  const jittered = Math.round(delayMs * (1 + RETRY_JITTER * (2 * random - 1)));
  const gapMs = Math.min(Math.max(jittered, retryAfterMs ?? 0), MAX_RETRY_GAP_MS);
  return Math.min(nowMs + Math.round(gapMs * scale), endMs);
}

/** The schedule for the documentation: each try, the wait before it and the time since the first try, without jitter. */
export function retryTable(): { tryNumber: number; afterMs: number; sinceFirstMs: number }[] {
  let sinceFirstMs = 0;
  return RETRY_DELAYS_MS.map((afterMs, index) => {
    sinceFirstMs += afterMs;
    return { tryNumber: index + 2, afterMs, sinceFirstMs };
  });
}

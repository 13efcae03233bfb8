const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Waits before the second and every later try: growing by factors at first, then two or three tries a day. They add up
 * to three days less a quarter of an hour, and the longest stays below 12 h with its jitter on top.
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

/** No try begins later than this after the first one. */
export const RETRY_WINDOW_MS = 72 * HOUR_MS;

/** The longest wait, whatever a server asks for. */
export const MAX_RETRY_GAP_MS = 12 * HOUR_MS;

/** Each wait is stretched or shrunk by up to this part of itself, so that what failed together does not return together. */
export const RETRY_JITTER = 0.1;

/** Closer to the window's end than this there is no other try: it would only hit a server twice in a row. */
const SHORTEST_LAST_GAP_MS = RETRY_DELAYS_MS[0]!;

export interface FailedTries {
  /** How many tries have failed, from 1. */
  tries: number;
  firstTriedAtMs: number;
  /** When the last one had failed. */
  nowMs: number;
  /** What the server asked for (`Retry-After`): never tried again sooner, within the gap and the window. */
  retryAfterMs: number | null;
  /** 0 to 1. */
  random: number;
  /** Shrinks or stretches the waits; 1 unless a test is in a hurry. */
  scale?: number;
}

/** When a delivery is tried again, epoch ms; null when its tries or its three days are over. */
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

/** The schedule as a table for documentation: try number, the wait before it and the time since the first, without jitter. */
export function retryTable(): { tryNumber: number; afterMs: number; sinceFirstMs: number }[] {
  let sinceFirstMs = 0;
  return RETRY_DELAYS_MS.map((afterMs, index) => {
    sinceFirstMs += afterMs;
    return { tryNumber: index + 2, afterMs, sinceFirstMs };
  });
}

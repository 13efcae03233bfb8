/** How long a source asks to be left alone. Pure. */
import { parseRetryAfterMs } from "../../platform/network/retry-after.ts";

const LEAST_MS = 1000;

/**
 * Of an answer 429 or 503: `Retry-After` (RFC 9110 §10.2.3), `X-RateLimit-Retry-After` in seconds (api.video, "Too many requests"), or
 * `X-RateLimit-Reset`, a time (Vimeo, "Rate limiting": RFC 3339, or seconds since 1970). Read November 2026.
 *
 * @returns at least 1,000 ms; null = it does not say
 */
export function pauseOf(headers: Headers, nowMs: number): number | null {
  const after = headers.get("retry-after") ?? headers.get("x-ratelimit-retry-after");
  const pauseMs = parseRetryAfterMs(after, new Date(nowMs)) ?? untilReset(headers.get("x-ratelimit-reset"), nowMs);
  return pauseMs === null ? null : Math.max(LEAST_MS, pauseMs);
}

/**
 * Whether an answer is a matter of pace. A 503 may as well be an outage: it is one of pace if it names a time, or with the code of S3 and of
 * those who speak it.
 */
export const asksForPause = (status: number, headers: Headers, text: string): boolean =>
  status === 429 ||
  (status === 503 && (headers.has("retry-after") || /<Code>(SlowDown|RequestLimitExceeded)<\/Code>/.test(text)));

function untilReset(reset: string | null, nowMs: number): number | null {
  if (reset === null) return null;
  const resetMs = /^\d{9,11}$/.test(reset) ? Number(reset) * 1000 : Date.parse(reset);
  return Number.isNaN(resetMs) ? null : resetMs - nowMs;
}

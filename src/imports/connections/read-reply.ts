/** What a source's answer means, as far as HTTP says it. Pure. */
import { parseRetryAfterMs } from "../../platform/network/retry-after.ts";
import { SourceFailure } from "../sources/source.ts";

/** A pause for a source that asks for one and does not say how long. */
const USUAL_PAUSE_MS = 60_000;
/** A longer one is looked at again after this time: a source may have meant another unit. */
const LONGEST_PAUSE_MS = 3600_000;
const RETRY_MS = 10_000;

/** Headers in which sources say when to come back: seconds, or the time of the end. */
const RESETS = ["retry-after", "x-ratelimit-retry-after", "x-ratelimit-reset", "ratelimit-reset"] as const;

/** @returns ms, at most an hour; null = no header says it */
export function pauseOf(headers: Headers, now: Date): number | null {
  for (const name of RESETS) {
    const value = headers.get(name);
    if (value === null) continue;
    const ms = readPauseMs(value, now);
    if (ms !== null) return Math.min(ms, LONGEST_PAUSE_MS);
  }
  return null;
}

const EPOCH_SECONDS_FROM = 1_000_000_000;

function readPauseMs(value: string, now: Date): number | null {
  const text = value.trim();
  if (/^\d{10,11}$/.test(text) && Number(text) >= EPOCH_SECONDS_FROM)
    return Math.max(0, Number(text) * 1000 - now.getTime());
  if (/^\d{4}-\d\d-\d\d/.test(text)) {
    const at = Date.parse(text);
    return Number.isNaN(at) ? null : Math.max(0, at - now.getTime());
  }
  return parseRetryAfterMs(text, now);
}

/** @throws {SourceFailure} for 429, for a 503 that asks to slow down, and for other 5xx */
export function requireAnswer(name: string, status: number, headers: Headers, text: string, now: Date): void {
  const pause = pauseOf(headers, now);
  const isSlowDown = status === 503 && (pause !== null || /<Code>(?:SlowDown|ServiceUnavailable)<\/Code>/.test(text));
  if (status === 429 || isSlowDown)
    throw new SourceFailure("source_rate_limited", `${name} asks for a pause (status ${status}).`, {
      retryAfterMs: pause ?? (isSlowDown ? RETRY_MS : USUAL_PAUSE_MS),
    });
  if (status >= 500)
    throw new SourceFailure("source_unavailable", `${name} answered with an error of its own (status ${status}).`, {
      retryAfterMs: RETRY_MS,
    });
}

/** @throws {SourceFailure} source_unreadable */
export function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const isPage = /^\s*</.test(text);
    throw new SourceFailure(
      "source_unreadable",
      `${name} answered with ${isPage ? "a web page" : "text"} where JSON was expected.`,
      { cause: error, retryAfterMs: RETRY_MS },
    );
  }
}

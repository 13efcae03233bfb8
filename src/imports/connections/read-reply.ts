/** What a source's answer means, as far as HTTP says it. Pure. */
import { asksForPause, pauseOf } from "../sources/pauses.ts";
import { SourceFailure } from "../sources/source.ts";

/** A pause for a source that asks for one and does not say how long. */
const USUAL_PAUSE_MS = 60_000;
/** A longer one is looked at again after this time: a source may have meant another unit. */
const LONGEST_PAUSE_MS = 3600_000;
const RETRY_MS = 10_000;

/** @throws {SourceFailure} for 429, for a 503 that asks to slow down, and for other 5xx */
export function requireAnswer(name: string, status: number, headers: Headers, text: string, nowMs: number): void {
  if (asksForPause(status, headers, text)) {
    const askedMs = pauseOf(headers, nowMs) ?? (status === 429 ? USUAL_PAUSE_MS : RETRY_MS);
    throw new SourceFailure("source_rate_limited", `${name} asks for a pause (status ${status}).`, {
      retryAfterMs: Math.min(askedMs, LONGEST_PAUSE_MS),
    });
  }
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

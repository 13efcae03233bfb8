/**
 * For so long loads may fail, without one that succeeds and with nothing left to play, before playback ends. hls.js by itself tries each
 * rendition in turn, which takes a minute or more until it gives up.
 */
const FAILING_MS = 30_000;
/** The same when the server refuses: a retry rarely changes that. */
const REFUSED_MS = 3000;
/** Answers 4xx that may be different the next time. */
const TEMPORARY = new Set([408, 425, 429]);

/** @param status HTTP; undefined or 0 = no answer. @returns whether the server refuses, so that a retry rarely helps */
export const isRefusal = (status = 0): boolean => status >= 400 && status < 500 && !TEMPORARY.has(status);

export interface FailedLoad {
  nowMs: number;
  /** Nothing is left to play, although there is a connection. */
  isStarved: boolean;
  /** As for `isRefusal`. */
  status: number | undefined;
}

/** Decides when loads that fail end playback: not before all that is buffered has been played, and never without a connection. */
export class LostNetwork {
  #sinceMs: number | null = null;

  /** @returns whether to end playback instead of trying again */
  failed({ nowMs, isStarved, status }: FailedLoad): boolean {
    this.#sinceMs = isStarved ? (this.#sinceMs ?? nowMs) : null;
    return this.#sinceMs !== null && nowMs - this.#sinceMs >= (isRefusal(status) ? REFUSED_MS : FAILING_MS);
  }

  succeeded(): void {
    this.#sinceMs = null;
  }
}

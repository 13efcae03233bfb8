/**
 * Which rungs are given up when the machine is too slow for all. Pure. The largest goes first: it costs the most, so that one is most
 * often enough, and every viewer can still follow. The rung of the lowest bitrate stays, whatever happens.
 */

/** Speed below 1 for so long is no hiccup. */
const SLOW_MS = 4000;
/** After a rung has gone, what has piled up is worked off first. */
const RECOVERY_MS = 6000;
/** Less work than this in a sample tells nothing: the source pauses. */
const LEAST_BUSY_MS = 200;

export interface WorkSample {
  /** When it ends, in ms of a steady clock. */
  atMs: number;
  /** Time not spent waiting for the source. */
  busyMs: number;
  mediaMs: number;
}

export interface RungCost {
  name: string;
  maxBitrateBps: number;
}

export class OverloadPolicy {
  #slowSinceMs: number | undefined;
  #quietUntilMs = -Infinity;

  /** @returns the rung to give up now, or null */
  decide({ atMs, busyMs, mediaMs }: WorkSample, rungs: RungCost[]): string | null {
    if (busyMs < LEAST_BUSY_MS || mediaMs >= busyMs) {
      this.#slowSinceMs = undefined;
      return null;
    }
    this.#slowSinceMs ??= atMs - busyMs;
    if (atMs - this.#slowSinceMs < SLOW_MS || atMs < this.#quietUntilMs || rungs.length < 2) return null;
    this.#quietUntilMs = atMs + RECOVERY_MS;
    this.#slowSinceMs = undefined;
    return rungs.toSorted((a, b) => b.maxBitrateBps - a.maxBitrateBps)[0]!.name;
  }
}

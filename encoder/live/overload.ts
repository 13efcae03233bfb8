/**
 * Selects the rung to drop when the machine cannot encode all of them in real time. It has state and does no I/O. The highest bitrate is
 * dropped first because it costs the most. The rung of the lowest bitrate is never dropped, so every viewer can continue.
 */

/** How long the speed must stay below 1 before a rung is dropped. */
const SLOW_MS = 4000;
/** Pause after dropping a rung, in which the encoder catches up. */
const RECOVERY_MS = 6000;
/** Samples with less busy time are ignored, because the source is paused. */
const LEAST_BUSY_MS = 200;

export interface WorkSample {
  /** End of the sample, in ms of a monotonic clock. */
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

  /** @returns the rung to drop now, or null */
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

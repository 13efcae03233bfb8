/**
 * When pictures were captured, by when they arrived: the least delay of the last seconds counts, since networks only ever add to it.
 * Pure.
 */

const WINDOW_BUCKETS = 10;
const BUCKET_MS = 1000;
/** Smaller changes are noise; capture times shall be as steady as the media. */
const NOTICED_MS = 100;
/** What was told once is gone on from: a better estimate is come nearer to by so much of the media's own time. */
const SLEW = 0.01;

export class CaptureClock {
  /** Least (arrival − media time) of each second, in ms. */
  readonly #buckets: { second: number; offsetMs: number }[] = [];
  #offsetMs: number | undefined;
  #told: { mediaSeconds: number; atMs: number } | null = null;

  /** @param told what another encoder told of this source last */
  constructor(told: { mediaSeconds: number; atMs: number } | null = null) {
    this.#told = told;
    if (told !== null) this.note(told.mediaSeconds, told.atMs);
  }

  /** A packet of this time has arrived. */
  note(mediaSeconds: number, arrivedAtMs: number): void {
    const second = Math.floor(arrivedAtMs / BUCKET_MS);
    const offsetMs = arrivedAtMs - mediaSeconds * 1000;
    const newest = this.#buckets.at(-1);
    if (newest !== undefined && newest.second >= second) newest.offsetMs = Math.min(newest.offsetMs, offsetMs);
    else this.#buckets.push({ second, offsetMs });
    if (this.#buckets.length > WINDOW_BUCKETS) this.#buckets.shift();
    const least = Math.min(...this.#buckets.map((bucket) => bucket.offsetMs));
    if (this.#offsetMs === undefined || Math.abs(least - this.#offsetMs) > NOTICED_MS) this.#offsetMs = least;
  }

  /** Epoch ms. From one call to the next it goes on as the media does, within a hundredth. */
  capturedAtMs(mediaSeconds: number): number {
    const estimateMs = mediaSeconds * 1000 + (this.#offsetMs ?? 0);
    let atMs = estimateMs;
    if (this.#told !== null) {
      const mediaMs = Math.max(0, mediaSeconds - this.#told.mediaSeconds) * 1000;
      const onMs = this.#told.atMs + mediaMs;
      atMs = onMs + Math.min(SLEW * mediaMs, Math.max(-SLEW * mediaMs, estimateMs - onMs));
    }
    this.#told = { mediaSeconds, atMs };
    return atMs;
  }
}

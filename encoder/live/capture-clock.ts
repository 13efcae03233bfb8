/**
 * Estimates capture times from arrival times. Uses the smallest delay of the last seconds, since networks only add delay. Pure.
 */

const WINDOW_BUCKETS = 10;
const BUCKET_MS = 1000;
/** Smaller changes are noise. Capture times should advance as steadily as the media. */
const SIGNIFICANT_MS = 100;
/** Reported times never jump. They approach a better estimate by at most this fraction of elapsed media time. */
const SLEW = 0.01;

export class CaptureClock {
  /** Smallest (arrival − media time) of each second, in ms. */
  readonly #buckets: { second: number; offsetMs: number }[] = [];
  #offsetMs: number | undefined;
  #lastReported: { mediaSeconds: number; atMs: number } | null = null;

  /** @param lastReported last time reported for this source by another encoder */
  constructor(lastReported: { mediaSeconds: number; atMs: number } | null = null) {
    this.#lastReported = lastReported;
    if (lastReported !== null) this.note(lastReported.mediaSeconds, lastReported.atMs);
  }

  /** Records the arrival of a packet with this media time. */
  note(mediaSeconds: number, arrivedAtMs: number): void {
    const second = Math.floor(arrivedAtMs / BUCKET_MS);
    const offsetMs = arrivedAtMs - mediaSeconds * 1000;
    const newest = this.#buckets.at(-1);
    if (newest !== undefined && newest.second >= second) newest.offsetMs = Math.min(newest.offsetMs, offsetMs);
    else this.#buckets.push({ second, offsetMs });
    if (this.#buckets.length > WINDOW_BUCKETS) this.#buckets.shift();
    const least = Math.min(...this.#buckets.map((bucket) => bucket.offsetMs));
    if (this.#offsetMs === undefined || Math.abs(least - this.#offsetMs) > SIGNIFICANT_MS) this.#offsetMs = least;
  }

  /** Epoch ms. Between calls it advances with the media, within 1 %. */
  capturedAtMs(mediaSeconds: number): number {
    const estimateMs = mediaSeconds * 1000 + (this.#offsetMs ?? 0);
    let atMs = estimateMs;
    if (this.#lastReported !== null) {
      const mediaMs = Math.max(0, mediaSeconds - this.#lastReported.mediaSeconds) * 1000;
      const projectedMs = this.#lastReported.atMs + mediaMs;
      atMs = projectedMs + Math.min(SLEW * mediaMs, Math.max(-SLEW * mediaMs, estimateMs - projectedMs));
    }
    this.#lastReported = { mediaSeconds, atMs };
    return atMs;
  }
}

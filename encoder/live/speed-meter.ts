/** Measures an encoder's speed: media time per busy time. Pure. */
export interface Progress {
  /** Time of a monotonic clock. */
  atMs: number;
  /** Total time spent waiting for the source. */
  waitedMs: number;
  /** Total media time encoded. */
  mediaSeconds: number;
}

export class SpeedMeter {
  #last: Progress;
  #speed = 0;

  constructor(atMs: number) {
    this.#last = { atMs, waitedMs: 0, mediaSeconds: 0 };
  }

  /** 1 = real time; 0 before the first measurement. */
  get speed(): number {
    return this.#speed;
  }

  /** Returns the work since the last measurement. */
  measure(now: Progress): { busyMs: number; mediaMs: number } {
    const { atMs, waitedMs, mediaSeconds } = this.#last;
    this.#last = now;
    const busyMs = now.atMs - atMs - (now.waitedMs - waitedMs);
    const mediaMs = 1000 * (now.mediaSeconds - mediaSeconds);
    if (busyMs > 0 && mediaMs > 0) this.#speed = mediaMs / busyMs;
    return { busyMs, mediaMs };
  }
}

/** How fast an encoder is: media time per time that it was busy. Pure. */
export interface Progress {
  /** On a clock that never jumps. */
  atMs: number;
  /** How long the encoder has waited for the source since it began. */
  waitedMs: number;
  /** How much it has encoded since it began. */
  mediaSeconds: number;
}

export class SpeedMeter {
  #last: Progress;
  #speed = 0;

  constructor(atMs: number) {
    this.#last = { atMs, waitedMs: 0, mediaSeconds: 0 };
  }

  /** 1 = just as fast as the media; 0 before anything was measured. */
  get speed(): number {
    return this.#speed;
  }

  /** Since the last measurement. */
  measure(now: Progress): { busyMs: number; mediaMs: number } {
    const { atMs, waitedMs, mediaSeconds } = this.#last;
    this.#last = now;
    const busyMs = now.atMs - atMs - (now.waitedMs - waitedMs);
    const mediaMs = 1000 * (now.mediaSeconds - mediaSeconds);
    if (busyMs > 0 && mediaMs > 0) this.#speed = mediaMs / busyMs;
    return { busyMs, mediaMs };
  }
}

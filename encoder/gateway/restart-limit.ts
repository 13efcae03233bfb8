/** An encoder that dies is started again, but not without end: media that kills each one is not worth a machine. Pure. */
const MOST = 5;
const WITHIN_MS = 60_000;

export class RestartLimit {
  #times: number[] = [];

  /** Whether one more would be allowed now. */
  isAllowed(nowMs: number): boolean {
    this.#times = this.#times.filter((at) => nowMs - at < WITHIN_MS);
    return this.#times.length < MOST;
  }

  allows(nowMs: number): boolean {
    this.#times = this.#times.filter((at) => nowMs - at < WITHIN_MS);
    this.#times.push(nowMs);
    return this.#times.length <= MOST;
  }
}

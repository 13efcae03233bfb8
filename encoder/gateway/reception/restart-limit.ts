/** Limits the restarts of crashed encoders, since some media crashes every encoder. Pure. */
const MAX_STARTS = 5;
const WITHIN_MS = 60_000;

export class RestartLimit {
  #times: number[] = [];

  /** Whether another start would be allowed now. */
  isAllowed(nowMs: number): boolean {
    this.#times = this.#times.filter((at) => nowMs - at < WITHIN_MS);
    return this.#times.length < MAX_STARTS;
  }

  /** Counts a start. @returns whether it is allowed */
  record(nowMs: number): boolean {
    this.#times = this.#times.filter((at) => nowMs - at < WITHIN_MS);
    this.#times.push(nowMs);
    return this.#times.length <= MAX_STARTS;
  }
}

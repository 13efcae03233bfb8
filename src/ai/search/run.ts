/** A run of the alarm ends after this time, and the next one follows. */
const RUN_MS = 20_000;
/** Calls of D1 and R2. An event of an object has 1,000 (Cloudflare's limits), and a media that has begun may need a hundred more. */
const CALLS_OF_RUN = 800;

/** What one run of the alarm may still do. */
export class Run {
  readonly #endMs: number;
  readonly #clock: () => number;
  #calls = 0;

  constructor(clock: () => number) {
    this.#clock = clock;
    this.#endMs = clock() + RUN_MS;
  }

  count(calls: number): void {
    this.#calls += calls;
  }

  get isOver(): boolean {
    return this.#calls >= CALLS_OF_RUN || this.#clock() >= this.#endMs;
  }
}

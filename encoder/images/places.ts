/** How many pictures are made at once, and how many requests wait for a place. */
const AT_ONCE = 2;
const MAX_WAITING = 32;

export class Places {
  #taken = 0;
  readonly #waiting: (() => void)[] = [];

  /** @returns null when as many wait as may; otherwise it resolves when there is a place */
  take(): Promise<void> | null {
    if (this.#taken < AT_ONCE) {
      this.#taken++;
      return Promise.resolve();
    }
    if (this.#waiting.length >= MAX_WAITING) return null;
    return new Promise((resume) => this.#waiting.push(resume));
  }

  /** Hands the place on. */
  leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#taken--;
    else next();
  }
}

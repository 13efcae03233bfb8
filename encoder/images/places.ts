/** How many pictures are made at once, and how many requests wait for a place. */
const AT_ONCE = 2;
const MAX_WAITING = 32;
/** Requests of one workspace that wait, so that it does not take the places of others. */
const MAX_WAITING_OF_WORKSPACE = 8;

interface Waiting {
  workspace: string;
  resume: () => void;
}

/** The places of an encoder for pictures. The next one goes to the workspace that has the fewest, in the order of their requests. */
export class Places {
  readonly #taken: string[] = [];
  readonly #waiting: Waiting[] = [];

  /** @returns null when as many wait as may, in all or of the workspace; otherwise it resolves when there is a place */
  take(workspace: string): Promise<void> | null {
    if (this.#taken.length < AT_ONCE) {
      this.#taken.push(workspace);
      return Promise.resolve();
    }
    const own = this.#waiting.filter((one) => one.workspace === workspace);
    if (this.#waiting.length >= MAX_WAITING || own.length >= MAX_WAITING_OF_WORKSPACE) return null;
    return new Promise((resume) => this.#waiting.push({ workspace, resume }));
  }

  /** Hands the place on. */
  leave(workspace: string): void {
    this.#taken.splice(this.#taken.indexOf(workspace), 1);
    const takenBy = (one: Waiting) => this.#taken.filter((taken) => taken === one.workspace).length;
    const next = this.#waiting.toSorted((one, other) => takenBy(one) - takenBy(other))[0];
    if (next === undefined) return;
    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    this.#taken.push(next.workspace);
    next.resume();
  }
}

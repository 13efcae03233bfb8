/** How many pictures are made at once, and how many requests wait for a place. */
const AT_ONCE = 2;
const MAX_WAITING = 32;
/** Requests of one workspace that wait, so that it does not take the places of others. */
const MAX_WAITING_OF_WORKSPACE = 8;

interface Waiting {
  workspace: string;
  resume: (hasPlace: boolean) => void;
}

/**
 * The places of an encoder for pictures. The next one goes to the workspace that has the fewest, in the order of their requests. When as many wait
 * as may, the newest request of the workspace with the most gives way to one of a workspace with fewer.
 */
export class Places {
  readonly #taken: string[] = [];
  readonly #waiting: Waiting[] = [];

  /**
   * @param gone aborted when nobody waits for the picture any more
   * @returns true when there is a place, which may take time; false when there is none, also later on, or nobody waits
   */
  async take(workspace: string, gone?: AbortSignal): Promise<boolean> {
    if (gone?.aborted === true) return false;
    if (this.#taken.length < AT_ONCE) {
      this.#taken.push(workspace);
      return true;
    }
    if (this.#waitingOf(workspace) >= MAX_WAITING_OF_WORKSPACE) return false;
    if (this.#waiting.length >= MAX_WAITING && !this.#dropFor(workspace)) return false;
    return await new Promise((resume) => {
      const waiting: Waiting = { workspace, resume };
      this.#waiting.push(waiting);
      gone?.addEventListener("abort", () => this.#giveUp(waiting), { once: true });
    });
  }

  /** Hands the place on. */
  leave(workspace: string): void {
    this.#taken.splice(this.#taken.indexOf(workspace), 1);
    const takenBy = (one: Waiting) => this.#taken.filter((taken) => taken === one.workspace).length;
    const next = this.#waiting.toSorted((one, other) => takenBy(one) - takenBy(other))[0];
    if (next === undefined) return;
    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    this.#taken.push(next.workspace);
    next.resume(true);
  }

  #giveUp(waiting: Waiting): void {
    const at = this.#waiting.indexOf(waiting);
    if (at < 0) return;
    this.#waiting.splice(at, 1);
    waiting.resume(false);
  }

  #waitingOf(workspace: string): number {
    return this.#waiting.filter((one) => one.workspace === workspace).length;
  }

  /** @returns whether a request of another workspace has given way */
  #dropFor(workspace: string): boolean {
    const most = Math.max(...this.#waiting.map((one) => this.#waitingOf(one.workspace)));
    if (this.#waitingOf(workspace) + 1 >= most) return false;
    const dropped = this.#waiting.findLast((one) => this.#waitingOf(one.workspace) === most)!;
    this.#waiting.splice(this.#waiting.indexOf(dropped), 1);
    dropped.resume(false);
    return true;
  }
}

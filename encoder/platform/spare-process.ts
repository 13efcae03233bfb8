/** Keeps one process started in advance to avoid its startup delay. */
import type { ChildProcess } from "node:child_process";

/** Delay before starting the next one: starting costs as much CPU as the first second of a broadcast. */
const NEXT_AFTER_MS = 3000;

export class SpareProcess {
  /** @throws {ProcessNotStarted} */
  readonly #start: () => ChildProcess;
  readonly #onRefused: (error: Error) => void;
  #spare: ChildProcess | null = null;
  #later: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** @param onRefused called when a start in advance fails; `take` tries again */
  constructor(start: () => ChildProcess, onRefused: (error: Error) => void) {
    this.#start = start;
    this.#onRefused = onRefused;
  }

  /** Starts a spare process if there is none. */
  prepare(): void {
    if (this.#isClosed || this.#spare !== null) return;
    try {
      const child = this.#start();
      this.#spare = child;
      child.once("exit", () => {
        if (this.#spare === child) this.#spare = null;
      });
    } catch (error) {
      this.#onRefused(error as Error);
    }
  }

  /** Returns the spare process, or a new one. @throws {ProcessNotStarted} */
  take(): ChildProcess {
    const spare = this.#spare;
    this.#spare = null;
    this.#later ??= setTimeout(() => {
      this.#later = undefined;
      this.prepare();
    }, NEXT_AFTER_MS).unref();
    return spare ?? this.#start();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#later);
    this.#spare?.kill("SIGKILL");
    this.#spare = null;
  }
}

import type { SourcePace } from "../sources/source.ts";

/** Keeps the calls of one source below its published rates. A burst of one second is allowed. In memory: an object that restarts begins anew. */
export class Pace {
  readonly #nextMs = { read: 0, write: 0 };
  readonly #gapMs: { read: number; write: number };
  readonly #clock: () => number;
  readonly #pause: (ms: number) => Promise<void>;

  /** @param clock epoch ms */
  constructor(pace: SourcePace, clock: () => number = Date.now, pause: (ms: number) => Promise<void> = sleep) {
    this.#gapMs = { read: 1000 / pace.readsPerSecond, write: 1000 / pace.writesPerSecond };
    this.#clock = clock;
    this.#pause = pause;
  }

  /** Resolves when a call may be sent. Waiting calls keep their order. */
  async turn(kind: "read" | "write"): Promise<void> {
    const nowMs = this.#clock();
    const earliest = Math.max(this.#nextMs[kind], nowMs - 1000);
    this.#nextMs[kind] = earliest + this.#gapMs[kind];
    if (earliest > nowMs) await this.#pause(earliest - nowMs);
  }
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

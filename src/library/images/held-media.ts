/** Media of pictures in the memory of an isolate, which may run the image makers of many assets. While it is sent, there are two copies. */
const MAX_HELD_BYTES = 32 << 20;
const MAX_WAITING = 32;
const MAX_WAIT_MS = 10_000;
/** Waiting orders look for room themselves: one image maker cannot wake another, and one whose client has left never runs again. */
const LOOK_EVERY_MS = 50;
/** Orders that take longer never end: when a client disconnects, the runtime drops the promises of its request. */
const LOST_AFTER_MS = 60_000;

export interface Clock {
  /** Epoch ms. */
  now(): number;
  wait(ms: number): Promise<void>;
}

interface Held {
  bytes: number;
  atMs: number;
}

/** Bounds the media that the orders of an isolate hold at a time, so that they stay within its 128 MB. */
export class HeldMedia {
  readonly #clock: Clock;
  readonly #held = new Set<Held>();
  readonly #waiting = new Set<Held>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Runs a work when there is room for its media, and keeps the room until it ends.
   *
   * @param bytes of its media, which may be read only by the work
   * @returns "no room" after a bounded time, or when too many others wait
   */
  async hold<Result>(bytes: number, work: () => Promise<Result>): Promise<Result | "no room"> {
    const own: Held = { bytes, atMs: this.#clock.now() };
    if (!this.#takeRoom(own) && !(await this.#waitForRoom(own))) return "no room";
    try {
      return await work();
    } finally {
      this.#held.delete(own);
    }
  }

  #takeRoom(own: Held): boolean {
    const nowMs = this.#clock.now();
    dropBefore(this.#held, nowMs - LOST_AFTER_MS);
    let total = own.bytes;
    for (const { bytes } of this.#held) total += bytes;
    if (total > MAX_HELD_BYTES) return false;
    own.atMs = nowMs;
    this.#held.add(own);
    return true;
  }

  async #waitForRoom(own: Held): Promise<boolean> {
    const waiter = { ...own };
    dropBefore(this.#waiting, waiter.atMs - MAX_WAIT_MS - LOOK_EVERY_MS);
    if (this.#waiting.size >= MAX_WAITING) return false;
    this.#waiting.add(waiter);
    try {
      while (this.#clock.now() - waiter.atMs < MAX_WAIT_MS) {
        await this.#clock.wait(LOOK_EVERY_MS);
        if (this.#takeRoom(own)) return true;
      }
      return false;
    } finally {
      this.#waiting.delete(waiter);
    }
  }
}

function dropBefore(all: Set<Held>, ms: number): void {
  for (const one of all) if (one.atMs < ms) all.delete(one);
}

/** That of this isolate. */
export const heldMedia = new HeldMedia({
  now: () => Date.now(),
  wait: (ms) => new Promise((resolve) => void setTimeout(resolve, ms)),
});

/** Covers a heartbeat's interval, the encoder's buffer and its way to the origin. */
const LONGEST_WAIT_MS = 2000;

export type StopReason = "finished" | "max_duration";

/**
 * Asks the broadcaster's gateway to stop before its session ends. The answer to the next heartbeat carries the request; the gateway then
 * encodes the media it has and reports `ended`. Otherwise the last pictures, still in the encoder, would be lost.
 */
export class GracefulStop {
  longestWaitMs = LONGEST_WAIT_MS;
  #pending: { reason: StopReason; done: Promise<void>; complete: () => void } | null = null;

  /** Why the gateway is to stop; null = no stop is requested. */
  get reason(): StopReason | null {
    return this.#pending?.reason ?? null;
  }

  /** @returns when the gateway has stopped, or after the timeout. A second request joins the first one. */
  async request(reason: StopReason): Promise<void> {
    if (this.#pending === null) {
      const { promise: done, resolve: complete } = Promise.withResolvers<void>();
      this.#pending = { reason, done, complete };
      setTimeout(complete, this.longestWaitMs);
    }
    await this.#pending.done;
    this.#pending = null;
  }

  /** The gateway has stopped. */
  complete(): void {
    this.#pending?.complete();
  }
}

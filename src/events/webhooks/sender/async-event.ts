/** An event that tasks can wait for. It stays set until it is cleared, so one that is set before any task waits is not missed. */
export class AsyncEvent {
  #resolve: () => void = () => undefined;
  #promise: Promise<void> = Promise.resolve();

  constructor() {
    this.clear();
  }

  /** Resolves once the event is set. */
  get wait(): Promise<void> {
    return this.#promise;
  }

  set(): void {
    this.#resolve();
  }

  clear(): void {
    this.#promise = new Promise((resolve) => (this.#resolve = resolve));
  }
}

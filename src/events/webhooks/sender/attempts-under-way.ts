/** The attempts that a sender is making, at most one of each delivery. */
export class AttemptsUnderWay {
  readonly #byEvent = new Map<string, Promise<void>>();
  #startedInRun = 0;

  get size(): number {
    return this.#byEvent.size;
  }

  /** Each resolves when its attempt has ended. */
  get all(): Promise<void>[] {
    return [...this.#byEvent.values()];
  }

  /** Attempts that were started since the run began. */
  get startedInRun(): number {
    return this.#startedInRun;
  }

  has(eventId: string): boolean {
    return this.#byEvent.has(eventId);
  }

  beginRun(): void {
    this.#startedInRun = 0;
  }

  start(eventId: string, attempt: () => Promise<void>): void {
    this.#startedInRun += 1;
    this.#byEvent.set(
      eventId,
      attempt().finally(() => this.#byEvent.delete(eventId)),
    );
  }
}

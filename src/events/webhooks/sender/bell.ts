/** Rings for whoever waits; rung while nobody waits, it rings for the next who does. */
export class Bell {
  #ring: () => void = () => undefined;
  #rung: Promise<void> = Promise.resolve();

  constructor() {
    this.reset();
  }

  get rung(): Promise<void> {
    return this.#rung;
  }

  ring(): void {
    this.#ring();
  }

  reset(): void {
    this.#rung = new Promise((done) => (this.#ring = done));
  }
}

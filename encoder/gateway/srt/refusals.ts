/** Keeps refusals to answer repeated conclusions: callers repeat theirs every 250 ms until they receive an answer. */
const REFUSALS_KEPT = 256;

export class Refusals {
  readonly #answers = new Map<string, Buffer>();

  /** @param id of the caller */
  answerTo(id: string): Buffer | undefined {
    return this.#answers.get(id);
  }

  keep(id: string, answer: Buffer): void {
    this.#answers.set(id, answer);
    if (this.#answers.size > REFUSALS_KEPT) this.#answers.delete(this.#answers.keys().next().value!);
  }
}

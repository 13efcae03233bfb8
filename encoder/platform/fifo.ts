/** A queue with a constant-time `shift`; an array's is linear. */
const MIN_COMPACTED = 1024;

export class Fifo<T> {
  #elements: T[] = [];
  #first = 0;

  get length(): number {
    return this.#elements.length - this.#first;
  }

  get first(): T | undefined {
    return this.#elements[this.#first];
  }

  push(element: T): void {
    this.#elements.push(element);
  }

  /** Inserts elements before all others, in their order. */
  prepend(elements: T[]): void {
    this.#elements = [...elements, ...this.#elements.slice(this.#first)];
    this.#first = 0;
  }

  shift(): T | undefined {
    const element = this.first;
    if (this.length === 0) return undefined;
    this.#elements[this.#first] = undefined as T; // release it to the garbage collector
    this.#first += 1;
    if (this.#first >= MIN_COMPACTED && this.#first * 2 >= this.#elements.length) {
      this.#elements = this.#elements.slice(this.#first);
      this.#first = 0;
    }
    return element;
  }

  clear(): void {
    this.#elements = [];
    this.#first = 0;
  }

  find(isWanted: (element: T) => boolean): T | undefined {
    for (let at = this.#first; at < this.#elements.length; at++)
      if (isWanted(this.#elements[at]!)) return this.#elements[at];
    return undefined;
  }
}

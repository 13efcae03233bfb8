import { createHash } from "node:crypto";

/** Reproducible random numbers: digests of the seed and a counter. */
export class Random {
  readonly #seed: string;
  #drawn = 0;

  constructor(seed: number | string) {
    this.#seed = String(seed);
  }

  /** 0 to 1, without 1. */
  next(): number {
    this.#drawn += 1;
    const digest = createHash("sha256").update(`${this.#seed}/${this.#drawn}`).digest();
    return digest.readUIntBE(0, 6) / 2 ** 48;
  }

  between([from, to]: Range): number {
    return from + this.next() * (to - from);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.next() * items.length)];
    if (item === undefined) throw new RangeError("there is nothing to pick from");
    return item;
  }

  /** @param weights how often each, relative to the others */
  weighted<T extends string>(weights: Partial<Record<T, number>>): T {
    const entries = Object.entries(weights) as [T, number][];
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    return (entries.find(([, weight]) => (left -= weight) < 0) ?? entries[0]!)[0];
  }

  /** An independent series: draws from one do not change the other. */
  branch(): Random {
    return new Random(`${this.#seed}/${this.next()}`);
  }
}

export type Range = readonly [from: number, to: number];

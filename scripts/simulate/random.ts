/** Random numbers from a seed (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to 1, exclusive of 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** A whole number; both ends are included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** A positive integer with this median and a long tail of large values. */
  around(median: number, spread = 0.5): number {
    const normal = Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
    return Math.max(1, Math.round(median * Math.exp(spread * normal)));
  }

  /** One of the items, chosen by weight. */
  pick<Item extends { weight: number }>(items: readonly Item[]): Item {
    let rest = this.next() * items.reduce((sum, { weight }) => sum + weight, 0);
    return items.find(({ weight }) => (rest -= weight) < 0) ?? items.at(-1)!;
  }

  uuid(): string {
    const hex = Array.from({ length: 32 }, () => this.between(0, 15).toString(16));
    hex[12] = "4";
    hex[16] = "8";
    return hex.join("").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  }
}

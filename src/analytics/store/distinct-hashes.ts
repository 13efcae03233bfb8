/** Counts distinct hashes by an open-addressing table, at most half full. */
export class DistinctHashes {
  size = 0;
  #table = new Float64Array(1 << 12).fill(NaN);

  /** @param hashes integers from 0 to 2^53 whose lower bits are evenly distributed */
  add(hashes: ArrayLike<number>): void {
    this.#reserve(this.size + hashes.length);
    for (let index = 0; index < hashes.length; index += 1) this.#insert(hashes[index]!);
  }

  toArray(): number[] {
    return Array.from(this.#table.filter((hash) => !Number.isNaN(hash)));
  }

  #insert(hash: number): void {
    const table = this.#table;
    const mask = table.length - 1;
    let place = hash & mask; // of the lower 32 bits
    for (; ; place = (place + 1) & mask) {
      const found = table[place]!;
      if (found === hash) return;
      if (Number.isNaN(found)) break;
    }
    table[place] = hash;
    this.size += 1;
  }

  /** @param count the most hashes that will be added */
  #reserve(count: number): void {
    if (2 * count <= this.#table.length) return;
    const former = this.#table;
    let length = former.length;
    while (length < 2 * count) length *= 2;
    this.#table = new Float64Array(length).fill(NaN);
    this.size = 0;
    for (let place = 0; place < former.length; place += 1) {
      const hash = former[place]!;
      if (!Number.isNaN(hash)) this.#insert(hash);
    }
  }
}

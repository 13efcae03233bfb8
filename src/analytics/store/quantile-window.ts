import type { Neighbours } from "./neighbours.ts";
import type { Bounds } from "./sampled-column.ts";
import { selectValue } from "./select-value.ts";

/** A growing array of numbers. */
class Numbers {
  length = 0;
  #values = new Float64Array(1024);

  push(values: Float64Array): void {
    const room = this.reserve(values.length);
    room.set(values);
    this.length += values.length;
  }

  /** @returns the array to which the next numbers are written; the caller increases `length` */
  reserve(count: number): Float64Array {
    if (this.length + count > this.#values.length) {
      const larger = new Float64Array(Math.max(2 * this.#values.length, this.length + count));
      larger.set(this.values);
      this.#values = larger;
    }
    return this.#values.subarray(this.length);
  }

  get values(): Float64Array {
    return this.#values.subarray(0, this.length);
  }
}

/**
 * Keeps the numbers between two bounds, and counts those below and at the bounds. The numbers around a quantile are thus known without keeping
 * all of a million.
 */
export class QuantileWindow {
  readonly inside = new Numbers();
  readonly from: number;
  readonly #to: number;
  /** How many numbers are below `from`. */
  below = 0;
  atFrom = 0;
  atTo = 0;

  constructor({ from, to }: Bounds = { from: -Infinity, to: Infinity }) {
    this.from = from;
    this.#to = to;
  }

  add(values: Float64Array): void {
    const [from, to, room] = [this.from, this.#to, this.inside.reserve(values.length)];
    let [length, below, atFrom, atTo] = [0, 0, 0, 0];
    // Adds comparisons instead of branching: the branch would be unpredictable.
    for (let index = 0; index < values.length; index += 1) {
      const value = values[index]!;
      room[length] = value;
      length += Number(value > from) & Number(value < to);
      below += Number(value < from);
      atFrom += Number(value === from);
      atTo += Number(value === to);
    }
    this.below += below;
    this.atFrom += atFrom;
    this.atTo += from === to ? 0 : atTo;
    this.inside.length += length;
  }

  /** The number at the index of the sorted numbers; null = outside the bounds. */
  at(index: number): number | null {
    let rest = index - this.below;
    if (rest < 0) return null;
    if (rest < this.atFrom) return this.from;
    rest -= this.atFrom;
    if (rest < this.inside.length) return selectValue(this.inside.values, rest);
    return rest - this.inside.length < this.atTo ? this.#to : null;
  }

  /** @param count the count of all numbers @returns null = outside the bounds */
  neighbours(share: number, count: number): Neighbours | null {
    const position = share * (count - 1);
    const below = this.at(Math.floor(position));
    const above = this.at(Math.ceil(position));
    return below === null || above === null ? null : [below, above];
  }
}

import type { Measure } from "./columns.ts";
import { FAILED_SLOT, SLOTS, slotOf } from "./packed-figures.ts";

/** Reads one column of packed figures. */
export class PackedColumn {
  readonly #slot: number;
  readonly #isOfSucceeded: boolean;
  #values = new Float64Array(0);

  /** @param isOfSucceeded leaves out views that failed */
  constructor(column: Measure, isOfSucceeded = false) {
    this.#slot = slotOf(column);
    this.#isOfSucceeded = isOfSucceeded;
  }

  /** @returns the values; valid until the next call */
  valuesIn(figures: Float64Array): Float64Array {
    const views = figures.length / SLOTS;
    if (this.#values.length < views) this.#values = new Float64Array(views);
    const values = this.#values;
    let length = 0;
    for (let view = 0; view < figures.length; view += SLOTS) {
      const value = figures[view + this.#slot]!;
      if (Number.isNaN(value) || (this.#isOfSucceeded && figures[view + FAILED_SLOT] === 1)) continue;
      values[length] = value;
      length += 1;
    }
    return values.subarray(0, length);
  }
}

/** One store's values between two bounds, for quantiles over several stores (questions/quantiles-of-months.ts). */
import { PackedColumn } from "./packed-column.ts";
import { QuantileWindow } from "./quantile-window.ts";
import { selectValue } from "./select-value.ts";
import type { Range, RangePart, Span } from "./store-calls.ts";
import type { ViewTable } from "./view-table.ts";

/** Most values in one answer, about ten bytes each. */
const VALUES_OF_ANSWER = 500_000;

/** Reads the views once for all ranges. */
export function partsOf(
  views: Pick<ViewTable, "packed">,
  span: Span,
  ranges: readonly Range[],
  valuesOfAnswer = VALUES_OF_ANSWER,
): RangePart[] {
  const tallies = ranges.map((range) => new RangeTally(range));
  for (const figures of views.packed(span)) {
    for (const tally of tallies) tally.take(figures);
    // Drops the largest lists first, so that most ranges need no further answer.
    for (let held = heldBy(tallies); held > valuesOfAnswer; held = heldBy(tallies))
      tallies.reduce((most, one) => (one.held > most.held ? one : most)).drop();
  }
  return tallies.map((tally) => tally.part);
}

const heldBy = (tallies: readonly RangeTally[]): number => tallies.reduce((sum, { held }) => sum + held, 0);

class RangeTally {
  readonly #column: PackedColumn;
  readonly #window: QuantileWindow;
  #dropped = 0;
  #middle: number | null = null;

  constructor({ column, from, to }: Range) {
    this.#column = new PackedColumn(column);
    this.#window = new QuantileWindow({ from, to });
  }

  get held(): number {
    return this.#window.inside.length;
  }

  take(figures: Float64Array): void {
    this.#window.add(this.#column.valuesIn(figures));
  }

  /** Drops the values between the ends, except one. */
  drop(): void {
    const { inside } = this.#window;
    this.#middle = selectValue(inside.values, inside.length >> 1);
    this.#dropped += inside.length;
    inside.length = 0;
  }

  get part(): RangePart {
    const { below, atFrom, atTo, inside } = this.#window;
    const ends = { below, atFrom, atTo };
    if (this.#dropped > 0)
      return { ...ends, between: this.#dropped + inside.length, values: null, middle: this.#middle };
    return { ...ends, between: inside.length, values: Array.from(inside.values), middle: null };
  }
}

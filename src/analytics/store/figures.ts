/** Many figures of the same views at once, for the comparison of all metrics: each question alone would read all views again. */
import { FAILED_SLOT, SLOTS, slotOf, VIEWER_SLOT } from "./packed-figures.ts";
import { Numbers, QuantileWindow } from "./quantile-window.ts";
import type { ColumnFigures, Figures, Span, Wanted } from "./store-calls.ts";
import type { ViewTable } from "./view-table.ts";

/** Values in memory at the same time, 8 bytes each: Durable Objects of a class share 128 MB. */
const VALUES_AT_ONCE = 4_000_000;
/** A window reaches this far to both sides of its quantile, as a share of the sample. */
const REACH = 0.015;

/** Reads the views once. Of many views, only the values next to a quantile are kept; a sample says where these are. */
export function figuresOf(
  views: ViewTable,
  span: Span,
  wanted: readonly Wanted[],
  valuesAtOnce = VALUES_AT_ONCE,
): Figures {
  const tallies = wanted.map((one) => new Tally(one));
  const viewers = new Numbers();
  let isNarrow = false;
  for (const figures of views.packed(span)) {
    viewers.push(slotIn(figures, VIEWER_SLOT));
    for (const tally of tallies) tally.take(figures);
    if (isNarrow || tallies.reduce((sum, { held }) => sum + held, 0) < valuesAtOnce) continue;
    isNarrow = true;
    const sample = views.packedSample(span);
    for (const tally of tallies) tally.narrow(sample);
  }
  const columns = tallies.map((tally): ColumnFigures => {
    const { wanted, total, count } = tally;
    const quantile = (share: number) =>
      count === 0 ? null : (tally.quantile(share) ?? views.quantile(span, wanted.column, share, count));
    return { column: wanted.column, total, count, quantiles: wanted.quantiles.map(quantile) };
  });
  return { views: viewers.length, viewers: distinct(viewers.values), columns };
}

/** What is computed of one column. */
class Tally {
  readonly wanted: Wanted;
  total = 0;
  count = 0;
  readonly #slot: number;
  /** One for all quantiles, or one for each. */
  #windows: QuantileWindow[];

  constructor(wanted: Wanted) {
    this.wanted = wanted;
    this.#slot = slotOf(wanted.column);
    this.#windows = wanted.quantiles.length > 0 ? [new QuantileWindow()] : [];
  }

  get held(): number {
    return this.#windows.reduce((sum, { inside }) => sum + inside.length, 0);
  }

  take(figures: Float64Array): void {
    const values = this.#valuesIn(figures);
    this.count += values.length;
    let total = 0;
    for (let index = 0; index < values.length; index += 1) total += values[index]!;
    this.total += total;
    for (const window of this.#windows) window.add(values);
  }

  /** Forgets the values that are far from each quantile of a sample. */
  narrow(sample: Float64Array): void {
    const [all] = this.#windows;
    if (all === undefined) return;
    const sorted = this.#valuesIn(sample).sort();
    const at = (share: number) => sorted[Math.floor(share * sorted.length)];
    this.#windows = this.wanted.quantiles.map((share) => {
      const window = new QuantileWindow(at(share - REACH) ?? -Infinity, at(share + REACH) ?? Infinity);
      window.add(all.inside.values);
      return window;
    });
  }

  /** @returns null = the values that are kept do not include it */
  quantile(share: number): number | null {
    const window = this.#windows[this.#windows.length === 1 ? 0 : this.wanted.quantiles.indexOf(share)]!;
    return window.quantile(share, this.count);
  }

  #valuesIn(figures: Float64Array): Float64Array {
    const { isOfSucceeded } = this.wanted;
    const values = new Float64Array(figures.length / SLOTS);
    let length = 0;
    for (let view = 0; view < figures.length; view += SLOTS) {
      const value = figures[view + this.#slot]!;
      if (Number.isNaN(value) || (isOfSucceeded && figures[view + FAILED_SLOT] === 1)) continue;
      values[length] = value;
      length += 1;
    }
    return values.subarray(0, length);
  }
}

const slotIn = (figures: Float64Array, slot: number): Float64Array =>
  Float64Array.from({ length: figures.length / SLOTS }, (_, view) => figures[view * SLOTS + slot]!);

/** How many different numbers there are. Reorders them. */
function distinct(numbers: Float64Array): number {
  numbers.sort();
  let count = 0;
  for (let index = 0; index < numbers.length; index += 1) if (numbers[index] !== numbers[index - 1]) count += 1;
  return count;
}

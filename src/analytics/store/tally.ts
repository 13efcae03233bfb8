import { PackedColumn } from "./packed-column.ts";
import { SLOTS, slotOf } from "./packed-figures.ts";
import type { Sample } from "./packed-sample.ts";
import type { Neighbours } from "./neighbours.ts";
import { QuantileWindow } from "./quantile-window.ts";
import { SampledColumn } from "./sampled-column.ts";
import type { Wanted } from "./store-calls.ts";

/** A wanted quantile, and the values around it. */
interface Ranked {
  share: number;
  window: QuantileWindow;
}

/** Computes the figures of one column. */
export class Tally {
  readonly wanted: Wanted;
  total = 0;
  count = 0;
  readonly #column: PackedColumn;
  /** All values; null once only those around the quantiles are kept. */
  #all: QuantileWindow | null;
  #ranked: Ranked[] = [];
  #sampled: SampledColumn | null = null;
  #moved: Ranked[] = [];

  constructor(wanted: Wanted) {
    this.wanted = wanted;
    this.#column = new PackedColumn(wanted.column, wanted.isOfSucceeded);
    this.#all = wanted.quantiles.length > 0 ? new QuantileWindow() : null;
  }

  /** Number of values in memory. */
  get held(): number {
    return this.#windows.reduce((sum, { inside }) => sum + inside.length, 0);
  }

  take(figures: Float64Array): void {
    const values = this.#column.valuesIn(figures);
    this.count += values.length;
    let total = 0;
    for (let index = 0; index < values.length; index += 1) total += values[index]!;
    this.total += total;
    for (const window of this.#windows) window.add(values);
  }

  /** @returns the estimated number of values around the quantiles */
  sample(sample: Sample): number {
    if (this.#all === null) return 0;
    const slot = slotOf(this.wanted.column);
    const sampled = new SampledColumn(sample, (view) => sample.figures[view * SLOTS + slot]!);
    this.#sampled = sampled;
    return this.wanted.quantiles.reduce((sum, share) => sum + 2 * sampled.reachOf(share) * sampled.count, 0);
  }

  /** Drops the values that are far from every quantile of the sample. @param scale factor of the distance, 0 to 1 */
  narrow(scale: number): void {
    const [all, sampled] = [this.#all, this.#sampled];
    if (all === null || sampled === null) return;
    this.#all = null;
    this.#ranked = this.wanted.quantiles.map((share) => {
      const window = new QuantileWindow(sampled.boundsOf(share, scale * sampled.reachOf(share)));
      window.add(all.inside.values);
      return { share, window };
    });
  }

  /** After all views were added: moves the windows that miss their quantile, by the count of values below them. */
  moveWindows(scale: number): boolean {
    const sampled = this.#sampled;
    // Without values there is no quantile to find.
    if (sampled === null || this.count === 0) return false;
    this.#moved = this.#ranked.filter(({ share, window }) => window.neighbours(share, this.count) === null);
    for (const one of this.#moved) {
      const error = sampled.shareBelow(one.window.from) - one.window.below / this.count;
      one.window = new QuantileWindow(sampled.boundsOf(one.share + error, scale * sampled.reachOf(one.share)));
    }
    return this.#moved.length > 0;
  }

  /** Adds views a second time, for the windows that were moved. */
  takeAgain(figures: Float64Array): void {
    if (this.#moved.length === 0) return;
    const values = this.#column.valuesIn(figures);
    for (const { window } of this.#moved) window.add(values);
  }

  /** @returns null = outside the values in memory */
  neighbours(share: number): Neighbours | null {
    const window = this.#all ?? this.#ranked.find((one) => one.share === share)!.window;
    return window.neighbours(share, this.count);
  }

  get #windows(): QuantileWindow[] {
    return this.#all === null ? this.#ranked.map(({ window }) => window) : [this.#all];
  }
}

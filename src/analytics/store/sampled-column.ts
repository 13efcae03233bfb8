import type { Sample } from "./packed-sample.ts";

/** Standard deviations of a share in a sample. Three would do if sampled views were independent of each other. */
const DEVIATIONS = 8;

export interface Bounds {
  from: number;
  to: number;
}

/** What a sample says of the values of one column. Pure. */
export class SampledColumn {
  /** An estimate. */
  readonly count: number;
  readonly #values: Float64Array;
  /** How many values are up to each, itself included. */
  readonly #upTo: Float64Array;

  /** @param valueOf of a view by its index in the sample; NaN = none */
  constructor({ weights }: Pick<Sample, "weights">, valueOf: (view: number) => number) {
    const views = [...weights.keys()].filter((view) => !Number.isNaN(valueOf(view)));
    views.sort((one, other) => valueOf(one) - valueOf(other));
    let count = 0;
    this.#values = Float64Array.from(views, valueOf);
    this.#upTo = Float64Array.from(views, (view) => (count += weights[view]!));
    this.count = count;
  }

  /** How far the bounds of a quantile are from it, as a share of the values. */
  reachOf(share: number): number {
    return DEVIATIONS * Math.sqrt((share * (1 - share)) / Math.max(1, this.#values.length));
  }

  /** Values between which a quantile of all values probably lies. */
  boundsOf(share: number, reach: number): Bounds {
    return { from: this.#at(share - reach) ?? -Infinity, to: this.#at(share + reach) ?? Infinity };
  }

  /** The share of the values below one. */
  shareBelow(value: number): number {
    const views = this.#values.findIndex((one) => one >= value);
    return views < 0 ? 1 : views === 0 ? 0 : this.#upTo[views - 1]! / this.count;
  }

  #at(share: number): number | undefined {
    const wanted = share * this.count;
    return share <= 0 || share >= 1 ? undefined : this.#values[this.#upTo.findIndex((upTo) => upTo >= wanted)];
  }
}

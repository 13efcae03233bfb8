import type { Sample } from "./packed-sample.ts";

/** Width of an interval in standard deviations. Three would be enough if sampled views were independent of each other. */
const DEVIATIONS = 8;

export interface Bounds {
  from: number;
  to: number;
}

/** Estimates about one column from a sample. Pure. */
export class SampledColumn {
  /** Estimated number of values. */
  readonly count: number;
  readonly #values: Float64Array;
  /** Running count of values up to each one, inclusive. */
  readonly #upTo: Float64Array;

  /** @param valueOf the value of the view at this index of the sample; NaN = none */
  constructor({ weights }: Pick<Sample, "weights">, valueOf: (view: number) => number) {
    const views = [...weights.keys()].filter((view) => !Number.isNaN(valueOf(view)));
    views.sort((one, other) => valueOf(one) - valueOf(other));
    let count = 0;
    this.#values = Float64Array.from(views, valueOf);
    this.#upTo = Float64Array.from(views, (view) => (count += weights[view]!));
    this.count = count;
  }

  /** Distance of the bounds from a quantile, as a share of the values. */
  reachOf(share: number): number {
    return DEVIATIONS * Math.sqrt((share * (1 - share)) / Math.max(1, this.#values.length));
  }

  /** Bounds between which a quantile of all values probably lies. */
  boundsOf(share: number, reach: number): Bounds {
    return { from: this.#at(share - reach) ?? -Infinity, to: this.#at(share + reach) ?? Infinity };
  }

  /** The share of values below this one. */
  shareBelow(value: number): number {
    const views = this.#values.findIndex((one) => one >= value);
    return views < 0 ? 1 : views === 0 ? 0 : this.#upTo[views - 1]! / this.count;
  }

  #at(share: number): number | undefined {
    const wanted = share * this.count;
    return share <= 0 || share >= 1 ? undefined : this.#values[this.#upTo.findIndex((upTo) => upTo >= wanted)];
  }
}

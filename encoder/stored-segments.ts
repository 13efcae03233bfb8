import type { PartialRendition, SegmentFacts } from "../protocol/jobs.ts";

/** What of a rendition is stored, and how much of that the platform knows. */
export class StoredSegments {
  #head: Omit<PartialRendition, "firstIndex" | "segments"> | undefined;
  readonly #segments: SegmentFacts[] = [];
  #known = 0;

  /** @returns whether the platform should hear at once: viewers may wait for the first, and soon for the second, the fourth and so on */
  add({ segments, name, timescale, init, channels }: PartialRendition): boolean {
    this.#head ??= { name, timescale, init, channels };
    this.#segments.push(...segments);
    return isPowerOfTwo(this.#segments.length);
  }

  /** What the platform has not heard of yet; undefined when there is nothing. */
  news(): PartialRendition | undefined {
    if (this.#head === undefined || this.#known === this.#segments.length) return undefined;
    return { ...this.#head, firstIndex: this.#known, segments: this.#segments.slice(this.#known) };
  }

  /** The platform has answered to this. */
  wereHeard({ firstIndex, segments }: PartialRendition): void {
    this.#known = Math.max(this.#known, firstIndex + segments.length);
  }
}

const isPowerOfTwo = (count: number) => (count & (count - 1)) === 0;

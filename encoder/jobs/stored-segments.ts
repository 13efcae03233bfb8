import type { PartialRendition, SegmentFacts } from "../../protocol/jobs.ts";

/** Records which segments of a rendition are stored, and which of them have been reported to the platform. */
export class StoredSegments {
  #head: Omit<PartialRendition, "firstIndex" | "segments"> | undefined;
  readonly #segments: SegmentFacts[] = [];
  #reported = 0;

  /** @returns whether to report immediately: viewers may be waiting for the first, and soon for the second, the fourth and so on */
  add({ segments, name, timescale, init, channels }: PartialRendition): boolean {
    this.#head ??= { name, timescale, init, channels };
    this.#segments.push(...segments);
    return isPowerOfTwo(this.#segments.length);
  }

  /** Segments not reported yet; undefined when there are none. */
  unreported(): PartialRendition | undefined {
    if (this.#head === undefined || this.#reported === this.#segments.length) return undefined;
    return { ...this.#head, firstIndex: this.#reported, segments: this.#segments.slice(this.#reported) };
  }

  /** Records that the platform has acknowledged this report. */
  markReported({ firstIndex, segments }: PartialRendition): void {
    this.#reported = Math.max(this.#reported, firstIndex + segments.length);
  }
}

const isPowerOfTwo = (count: number) => (count & (count - 1)) === 0;

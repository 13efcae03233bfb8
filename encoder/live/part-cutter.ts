/** Samples of one rendition become the parts of its segments (CMAF chunks, ISO/IEC 23000-19 §7.3.2.3). */
import { fragmentBoxes, producerReferenceTime, type Sample, segmentType } from "../../protocol/media/cmaf.ts";
import type { CutPlace } from "./continuation.ts";
import type { PartFacts } from "./output.ts";

/** Of one segment, the same for every rendition. */
export interface SegmentFacts {
  msn: number;
  /** Of its first sample, epoch ms. */
  capturedAtMs: number;
  isDiscontinuous: boolean;
}

export interface CutPlan {
  rendition: string;
  timescale: number;
  /** Known when the first part is cut. `baseTicks`: of the run's first sample, on the session's timeline. */
  start: () => { initVersion: number; baseTicks: number };
  sampleTicks: number;
  /** Segments count from 0 within a run; the sample, from its start, at which one ends. */
  segmentEnd: (segment: number) => number;
  /** Samples of each part of a segment but the last. */
  partSamples: (segment: number) => number;
  /** Whether a part is cut only when the sample behind it is there, because it may be the last of its segment after all. */
  waitsForNext: boolean;
  segmentFacts: (segment: number) => SegmentFacts;
  onPart: (facts: PartFacts, bytes: Buffer) => void;
}

/** More parts than a segment can have: fragments are numbered through. */
const FRAGMENTS_PER_SEGMENT = 256;

export class PartCutter {
  readonly #plan: CutPlan;
  #segment = 0;
  #part = 0;
  #partBegins = 0; // sample of the run
  #samples: Sample[] = [];

  /** @param from where it goes on in a run that another encoder began */
  constructor(plan: CutPlan, from: CutPlace = { segment: 0, part: 0, sample: 0 }) {
    this.#plan = plan;
    this.#segment = from.segment;
    this.#part = from.part;
    this.#partBegins = from.sample;
  }

  /** Segments that are whole. */
  get segments(): number {
    return this.#segment;
  }

  add(data: Buffer, isSync: boolean): void {
    const { sampleTicks, segmentEnd, partSamples, waitsForNext } = this.#plan;
    const isFull = () => this.#samples.length >= partSamples(this.#segment);
    const isEnd = () => this.#partBegins + this.#samples.length >= segmentEnd(this.#segment);
    if (this.#samples.length > 0 && (isEnd() || isFull())) this.#cut(isEnd()); // they have waited
    this.#samples.push({ data, isSync, durationTicks: sampleTicks, compositionTicks: 0 });
    if (isEnd()) this.#cut(true);
    else if (isFull() && !waitsForNext) this.#cut(false);
  }

  /** Ends the segment under way: there are no more samples. */
  finish(): void {
    if (this.#samples.length > 0) this.#cut(true);
  }

  #cut(isLast: boolean): void {
    const { rendition, timescale, start, sampleTicks, onPart } = this.#plan;
    const { initVersion, baseTicks } = start();
    const facts = this.#plan.segmentFacts(this.#segment);
    const decodeTicks = baseTicks + this.#partBegins * sampleTicks;
    const intoSegment = this.#partBegins - (this.#segment === 0 ? 0 : this.#plan.segmentEnd(this.#segment - 1));
    const capturedAtMs = facts.capturedAtMs + (1000 * intoSegment * sampleTicks) / timescale;
    const sequenceNumber = facts.msn * FRAGMENTS_PER_SEGMENT + this.#part + 1;
    const { boxes } = fragmentBoxes({ sequenceNumber, decodeTicks, samples: this.#samples });
    const bytes = Buffer.concat([
      ...(this.#part === 0 ? [segmentType()] : []),
      producerReferenceTime(capturedAtMs, decodeTicks),
      ...boxes,
    ]);
    onPart(
      {
        rendition,
        part: this.#part,
        durationTicks: this.#samples.length * sampleTicks,
        decodeTicks,
        isIndependent: this.#samples[0]!.isSync,
        isLast,
        initVersion,
        ...facts,
      },
      bytes,
    );
    this.#partBegins += this.#samples.length;
    this.#samples = [];
    this.#part = isLast ? 0 : this.#part + 1;
    if (isLast) this.#segment += 1;
  }
}

/** Where a run has to end so that its last segment has that many samples, or all that a segment has. */
export function leastEnd(samples: number, least: number, { segmentEnd }: Pick<CutPlan, "segmentEnd">): number {
  let segment = 0;
  while (segmentEnd(segment) < samples) segment += 1;
  const begins = segment === 0 ? 0 : segmentEnd(segment - 1);
  return Math.min(begins + least, segmentEnd(segment));
}

/**
 * Whether a run that ends after so many samples would end between two parts of one segment: the part before is told already, and not
 * as the last one. One sample more makes a last part.
 */
export function endsBetweenParts(
  samples: number,
  { segmentEnd, partSamples }: Pick<CutPlan, "segmentEnd" | "partSamples">,
): boolean {
  let segment = 0;
  while (segmentEnd(segment) < samples) segment += 1;
  const inSegment = samples - (segment === 0 ? 0 : segmentEnd(segment - 1));
  return samples < segmentEnd(segment) && inSegment % partSamples(segment) === 0;
}

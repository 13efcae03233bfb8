/** Groups the samples of one rendition into the parts of its segments (CMAF chunks, ISO/IEC 23000-19 §7.3.2.3). */
import { fragmentBoxes, producerReferenceTime, type Sample, segmentType } from "../../protocol/media/cmaf.ts";
import type { PartCaptions } from "../../protocol/live.ts";
import type { CutPlace } from "./continuation.ts";
import type { PartFacts } from "./output.ts";

/** Facts of a segment that all renditions share. */
export interface SegmentFacts {
  msn: number;
  /** Capture time of its first sample, epoch ms. */
  capturedAtMs: number;
  isDiscontinuous: boolean;
}

export interface CutPlan {
  rendition: string;
  timescale: number;
  /** Called once the first part is cut. `baseTicks`: decode time of the run's first sample on the session's timeline. */
  start: () => { initVersion: number; baseTicks: number };
  sampleTicks: number;
  /** Sample, counted from the start of the run, at which a segment ends. Segments count from 0 within a run. */
  segmentEnd: (segment: number) => number;
  /** Samples in every part of a segment but the last. */
  partSamples: (segment: number) => number;
  /** Delay each part until the next sample arrives, because the part may turn out to be the last of its segment. */
  waitsForNext: boolean;
  segmentFacts: (segment: number) => SegmentFacts;
  /** The captions of a part, in samples of the run. @param msOf start of a sample on the session's timeline */
  captions?: (from: number, to: number, msOf: (sample: number) => number) => PartCaptions;
  onPart: (facts: PartFacts, bytes: Buffer) => void;
}

/** Upper bound of parts per segment, which makes fragment sequence numbers increase across segments. */
const FRAGMENTS_PER_SEGMENT = 256;

export class PartCutter {
  readonly #plan: CutPlan;
  #segment = 0;
  #part = 0;
  #partBegins = 0; // sample number within the run
  #samples: Sample[] = [];

  /** @param from position at which to continue a run that another encoder started */
  constructor(plan: CutPlan, from: CutPlace = { segment: 0, part: 0, sample: 0 }) {
    this.#plan = plan;
    this.#segment = from.segment;
    this.#part = from.part;
    this.#partBegins = from.sample;
  }

  /** Number of complete segments. */
  get segments(): number {
    return this.#segment;
  }

  add(data: Buffer, isSync: boolean): void {
    const { sampleTicks, segmentEnd, partSamples, waitsForNext } = this.#plan;
    const isFull = () => this.#samples.length >= partSamples(this.#segment);
    const isEnd = () => this.#partBegins + this.#samples.length >= segmentEnd(this.#segment);
    if (this.#samples.length > 0 && (isEnd() || isFull())) this.#cut(isEnd()); // the delayed part
    this.#samples.push({ data, isSync, durationTicks: sampleTicks, compositionTicks: 0 });
    if (isEnd()) this.#cut(true);
    else if (isFull() && !waitsForNext) this.#cut(false);
  }

  /** Ends the current segment; no more samples follow. */
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
    const msOf = (sample: number) => Math.round((1000 * (baseTicks + sample * sampleTicks)) / timescale);
    const captions = this.#plan.captions?.(this.#partBegins, this.#partBegins + this.#samples.length, msOf) ?? [];
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
        ...(captions.length > 0 ? { captions } : {}),
      },
      bytes,
    );
    this.#partBegins += this.#samples.length;
    this.#samples = [];
    this.#part = isLast ? 0 : this.#part + 1;
    if (isLast) this.#segment += 1;
  }
}

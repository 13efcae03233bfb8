/** Cuts a run's renditions into parts and segments, and provides the facts of each segment. */
import { type LiveGrid, PICTURE_TIMESCALE } from "./live-grid.ts";
import { type Continuation, type RunStart, SESSION_START } from "./run-state.ts";
import type { Fraction } from "../../protocol/source-facts.ts";
import { AAC_FRAME_SAMPLES } from "../../protocol/media/audio-plan.ts";
import type { BroadcastListener } from "./output.ts";
import type { CutPlan, SegmentFacts } from "./part-cutter.ts";
import { RunCaptions } from "./run-captions.ts";
import type { SegmentGrid } from "./segment-grid.ts";

export interface RunTimes {
  /** Source time of the run's first picture, or of its first sound without a picture. */
  zeroSeconds: number;
  capturedAtMs: (sourceSeconds: number) => number;
}

export class RunCuts {
  readonly #grid: SegmentGrid;
  readonly #times: RunTimes;
  readonly #onPart: BroadcastListener["onPart"];
  readonly #segments: SegmentFacts[] = [];
  /** Set before the first part is cut. */
  start: RunStart = SESSION_START;
  /** What the captions of the picture show, by output frame. */
  readonly captions = new RunCaptions();

  /** @param continues partly published segments keep their published facts */
  constructor(grid: SegmentGrid, times: RunTimes, continues: Continuation | null, onPart: BroadcastListener["onPart"]) {
    this.#grid = grid;
    this.#times = times;
    this.#onPart = onPart;
    if (continues === null) return;
    const { start } = continues.run;
    for (const { msn, capturedAtMs } of continues.progress)
      if (capturedAtMs !== null) {
        const segment = msn - start.msn;
        this.#segments[segment] = { msn, capturedAtMs, isDiscontinuous: segment === 0 && start.isDiscontinuous };
      }
  }

  /** @param canHold whether the last picture can be repeated, which prevents a run from ending between two parts */
  picture(rendition: string, { framesPerPart, ticksPerFrame }: LiveGrid, canHold: boolean): CutPlan {
    return {
      ...this.#of(rendition, PICTURE_TIMESCALE),
      sampleTicks: ticksPerFrame,
      segmentEnd: (segment) => this.#grid.end(segment),
      partSamples: () => framesPerPart,
      waitsForNext: !canHold,
      captions: (from, to, msOf) => this.captions.between(from, to, msOf),
    };
  }

  sound(rendition: string, sampleRateHz: number): CutPlan {
    return {
      ...this.#of(rendition, sampleRateHz),
      sampleTicks: AAC_FRAME_SAMPLES,
      segmentEnd: (segment) => this.#grid.soundEnd(segment, sampleRateHz),
      partSamples: (segment) => this.#grid.soundPartFrames(segment, sampleRateHz),
      waitsForNext: false,
    };
  }

  /** Computed when the first rendition needs them; identical for all renditions. */
  segmentFacts(segment: number): SegmentFacts {
    const { zeroSeconds, capturedAtMs } = this.#times;
    this.#segments[segment] ??= {
      msn: this.start.msn + segment,
      capturedAtMs: capturedAtMs(zeroSeconds + this.#grid.startSeconds(segment)),
      isDiscontinuous: segment === 0 && this.start.isDiscontinuous,
    };
    return this.#segments[segment];
  }

  /** Capture time of an output frame, epoch ms. */
  capturedAtMs(frame: number, frameRate: Fraction): number {
    const { capturedAtMs } = this.segmentFacts(this.#grid.segmentOf(frame));
    return capturedAtMs + (1000 * this.#grid.intoSegment(frame) * frameRate.den) / frameRate.num;
  }

  #of(rendition: string, timescale: number) {
    return {
      rendition,
      timescale,
      start: () => {
        const { initVersion, seconds, ticks } = this.start;
        return { initVersion, baseTicks: ticks[rendition] ?? Math.round(seconds * timescale) };
      },
      segmentFacts: (segment: number) => this.segmentFacts(segment),
      onPart: this.#onPart,
    };
  }
}

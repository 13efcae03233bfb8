/** Where the segments of a run end, in frames of its picture and in AAC frames of its sound. Pure. */
import { AAC_FRAME_SAMPLES } from "../media/audio-plan.ts";
import type { Fraction } from "../protocol.ts";
import { type LiveGrid, type LiveTimes, soundPartFrames } from "./live-grid.ts";

/** Length of a short first segment without a picture; with one it is a GOP. */
const SHORT_MS = 1000;

export type FirstSegment = "usual" | "short" | "undecided";

export class SegmentGrid {
  readonly #times: LiveTimes;
  /** A frame of the picture, or a millisecond where there is none. */
  readonly #unitSeconds: Fraction;
  readonly #units: number;
  readonly #shortUnits: number;
  #firstUnits: number;
  #first: FirstSegment;

  /** @param first whether the first segment is a second long; `undecided` until `decideFirst` */
  constructor(grid: LiveGrid | null, times: LiveTimes, first: FirstSegment) {
    this.#times = times;
    this.#first = first;
    this.#unitSeconds = grid === null ? { num: 1, den: 1000 } : { num: grid.frameRate.den, den: grid.frameRate.num };
    this.#units = grid === null ? times.segmentMs : grid.framesPerSegment;
    const short = Math.min(this.#units, grid === null ? SHORT_MS : grid.framesPerGop);
    this.#shortUnits = first === "usual" ? this.#units : short;
    this.#firstUnits = first === "short" ? short : this.#units;
  }

  get first(): FirstSegment {
    return this.#first;
  }

  /** The frame that decides whether the first segment ends before it. */
  isDecision = (frame: number): boolean => this.#first === "undecided" && frame === this.#shortUnits;

  /** Called before the frame of `isDecision` goes to any rendition. */
  decide(first: "usual" | "short"): void {
    this.#first = first;
    if (first === "short") this.#firstUnits = this.#shortUnits;
  }

  /** The frame behind the last one of a segment. */
  end = (segment: number): number => this.#firstUnits + segment * this.#units;

  start = (segment: number): number => (segment === 0 ? 0 : this.end(segment - 1));

  segmentOf = (frame: number): number =>
    frame < this.#firstUnits ? 0 : 1 + Math.floor((frame - this.#firstUnits) / this.#units);

  /** Frames between the start of its segment and this frame. */
  intoSegment = (frame: number): number => frame - this.start(this.segmentOf(frame));

  startSeconds = (segment: number): number => (this.start(segment) * this.#unitSeconds.num) / this.#unitSeconds.den;

  /** The AAC frame, counted from the start of the run, at which a segment ends: the one nearest to the picture's. */
  soundEnd = (segment: number, sampleRateHz: number): number => this.#soundAt(this.end(segment), segment, sampleRateHz);

  /** AAC frames of each part of a segment but the last. Of the first segment they suit both of its lengths. */
  soundPartFrames(segment: number, sampleRateHz: number): number {
    const frames =
      segment === 0
        ? this.#soundAt(this.#shortUnits, 0, sampleRateHz)
        : this.soundEnd(segment, sampleRateHz) - this.soundEnd(segment - 1, sampleRateHz);
    return soundPartFrames(frames, sampleRateHz, this.#times.partTargetMs);
  }

  /**
   * How many AAC frames a run has whose picture ends at `endSeconds`: the nearest, but at least one in each of its segments, so that
   * picture and sound have the same ones.
   */
  soundFramesUntil(endSeconds: number, segments: number, sampleRateHz: number): number {
    const nearest = Math.round((endSeconds * sampleRateHz) / AAC_FRAME_SAMPLES);
    const lastBegins = segments > 1 ? this.soundEnd(segments - 2, sampleRateHz) : 0;
    return Math.min(Math.max(nearest, lastBegins + 1), this.soundEnd(segments - 1, sampleRateHz));
  }

  #soundAt(units: number, segment: number, sampleRateHz: number): number {
    const { num, den } = this.#unitSeconds;
    return Math.max(segment + 1, Math.round((units * num * sampleRateHz) / (den * AAC_FRAME_SAMPLES)));
  }
}

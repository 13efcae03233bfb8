/** Where the segments of a run end, in frames of its picture and in AAC frames of its sound. Pure. */
import { AAC_FRAME_SAMPLES } from "../../protocol/media/audio-plan.ts";
import type { Fraction } from "../../protocol/jobs.ts";
import { type LiveGrid, type LiveTimes, soundPartFrames } from "./live-grid.ts";

/** A divided first segment has as many parts as make this much, but no more than a GOP. */
const SHORT_MS = 500;

export class SegmentGrid {
  readonly #times: LiveTimes;
  /** A frame of the picture, or a millisecond where there is none. */
  readonly #unitSeconds: Fraction;
  readonly #units: number;
  /** Length of the first segment. */
  readonly #firstUnits: number;

  /** @param isFirstShort the first segment is divided into two: one of half a second, and the rest */
  constructor(grid: LiveGrid | null, times: LiveTimes, isFirstShort: boolean) {
    this.#times = times;
    this.#unitSeconds = grid === null ? { num: 1, den: 1000 } : { num: grid.frameRate.den, den: grid.frameRate.num };
    this.#units = grid === null ? times.segmentMs : grid.framesPerSegment;
    const parts = Math.ceil(SHORT_MS / times.partTargetMs);
    const short = grid === null ? parts * times.partTargetMs : Math.min(parts * grid.framesPerPart, grid.framesPerGop);
    this.#firstUnits = isFirstShort && short < this.#units ? short : this.#units;
  }

  /** The frame behind the last one of a segment. */
  end(segment: number): number {
    if (segment === 0) return this.#firstUnits;
    return this.#firstUnits < this.#units ? segment * this.#units : (segment + 1) * this.#units;
  }

  start = (segment: number): number => (segment === 0 ? 0 : this.end(segment - 1));

  segmentOf(frame: number): number {
    if (frame < this.#firstUnits) return 0;
    const whole = Math.floor(frame / this.#units);
    return this.#firstUnits < this.#units ? whole + 1 : whole;
  }

  /** The segment that begins where undivided segments do: the source's own pictures can begin there at the latest. */
  get firstUndivided(): number {
    return this.#firstUnits < this.#units ? 2 : 0;
  }

  /** Frames between the start of its segment and this frame. */
  intoSegment = (frame: number): number => frame - this.start(this.segmentOf(frame));

  startSeconds = (segment: number): number => (this.start(segment) * this.#unitSeconds.num) / this.#unitSeconds.den;

  /** The AAC frame, counted from the start of the run, at which a segment ends: the one nearest to the picture's. */
  soundEnd(segment: number, sampleRateHz: number): number {
    const { num, den } = this.#unitSeconds;
    const nearest = Math.round((this.end(segment) * num * sampleRateHz) / (den * AAC_FRAME_SAMPLES));
    return Math.max(segment + 1, nearest);
  }

  /** AAC frames of each part of a segment but the last. */
  soundPartFrames(segment: number, sampleRateHz: number): number {
    const begins = segment === 0 ? 0 : this.soundEnd(segment - 1, sampleRateHz);
    return soundPartFrames(this.soundEnd(segment, sampleRateHz) - begins, sampleRateHz, this.#times.partTargetMs);
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
}

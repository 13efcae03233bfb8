/** Segment boundaries of a run, in picture frames and in AAC frames. Pure. */
import { AAC_FRAME_SAMPLES } from "../../protocol/media/audio-plan.ts";
import type { Fraction } from "../../protocol/source-facts.ts";
import { type LiveGrid, type LiveTimes, soundPartFrames } from "./live-grid.ts";

/** End of the first segment of a divided start without a picture: the usual GOP duration. */
const GOP_MS = 1000;

export class SegmentGrid {
  readonly #times: LiveTimes;
  /** One picture frame, or one millisecond without a picture. */
  readonly #unitSeconds: Fraction;
  readonly #units: number;
  /** Duration of the first segment, in units. */
  readonly #firstUnits: number;

  /** @param isFirstShort divide the first segment into two: the first GOP, and the rest */
  constructor(grid: LiveGrid | null, times: LiveTimes, isFirstShort: boolean) {
    this.#times = times;
    this.#unitSeconds = grid === null ? { num: 1, den: 1000 } : { num: grid.frameRate.den, den: grid.frameRate.num };
    this.#units = grid === null ? times.segmentMs : grid.framesPerSegment;
    const gop = grid?.framesPerGop ?? GOP_MS;
    this.#firstUnits = isFirstShort && gop < this.#units ? gop : this.#units;
  }

  /** The frame after the last one of a segment. */
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

  /** The first segment that starts on the undivided grid, where copying can start at the latest. */
  get firstUndivided(): number {
    return this.#firstUnits < this.#units ? 2 : 0;
  }

  /** Offset of this frame in its segment. */
  intoSegment = (frame: number): number => frame - this.start(this.segmentOf(frame));

  startSeconds = (segment: number): number => (this.start(segment) * this.#unitSeconds.num) / this.#unitSeconds.den;

  /** The AAC frame, counted from the start of the run, nearest to the end of the picture's segment. */
  soundEnd(segment: number, sampleRateHz: number): number {
    const { num, den } = this.#unitSeconds;
    const nearest = Math.round((this.end(segment) * num * sampleRateHz) / (den * AAC_FRAME_SAMPLES));
    return Math.max(segment + 1, nearest);
  }

  /** AAC frames in every part of a segment but the last. */
  soundPartFrames(segment: number, sampleRateHz: number): number {
    const begins = segment === 0 ? 0 : this.soundEnd(segment - 1, sampleRateHz);
    return soundPartFrames(this.soundEnd(segment, sampleRateHz) - begins, sampleRateHz, this.#times.partTargetMs);
  }

  /**
   * Number of AAC frames of a run whose picture ends at `endSeconds`: the nearest count with at least one frame in each segment, so that
   * picture and sound have the same segments.
   */
  soundFramesUntil(endSeconds: number, segments: number, sampleRateHz: number): number {
    const nearest = Math.round((endSeconds * sampleRateHz) / AAC_FRAME_SAMPLES);
    const lastBegins = segments > 1 ? this.soundEnd(segments - 2, sampleRateHz) : 0;
    return Math.min(Math.max(nearest, lastBegins + 1), this.soundEnd(segments - 1, sampleRateHz));
  }
}

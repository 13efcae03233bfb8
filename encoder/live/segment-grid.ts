/** Where the segments of a run end, in frames of its picture and in AAC frames of its sound. Pure. */
import { AAC_FRAME_SAMPLES } from "../../protocol/media/audio-plan.ts";
import type { Fraction } from "../../protocol/jobs.ts";
import { type LiveGrid, type LiveTimes, soundPartFrames } from "./live-grid.ts";

/** The first segment of a divided beginning has as many parts as make this much, but no more than a GOP. */
const SHORT_MS = 500;
/** The second one ends here, where the first GOP does. */
const GOP_MS = 1000;

export class SegmentGrid {
  readonly #times: LiveTimes;
  /** A frame of the picture, or a millisecond where there is none. */
  readonly #unitSeconds: Fraction;
  readonly #units: number;
  /** Where the segments of a divided beginning end, ascending; the next one ends where an undivided first segment does. */
  readonly #cuts: number[];

  /** @param isFirstShort the first segment is divided: half a second, up to the end of the first GOP, and the rest */
  constructor(grid: LiveGrid | null, times: LiveTimes, isFirstShort: boolean) {
    this.#times = times;
    this.#unitSeconds = grid === null ? { num: 1, den: 1000 } : { num: grid.frameRate.den, den: grid.frameRate.num };
    this.#units = grid === null ? times.segmentMs : grid.framesPerSegment;
    const gop = grid?.framesPerGop ?? GOP_MS;
    const short = Math.ceil(SHORT_MS / times.partTargetMs) * (grid?.framesPerPart ?? times.partTargetMs);
    const cuts = isFirstShort ? [Math.min(short, gop), gop] : [];
    this.#cuts = [...new Set(cuts)].filter((cut) => cut < this.#units);
  }

  /** The frame behind the last one of a segment. */
  end(segment: number): number {
    return this.#cuts[segment] ?? (segment - this.#cuts.length + 1) * this.#units;
  }

  start = (segment: number): number => (segment === 0 ? 0 : this.end(segment - 1));

  segmentOf(frame: number): number {
    const cut = this.#cuts.findIndex((end) => frame < end);
    return cut >= 0 ? cut : this.#cuts.length + Math.floor(frame / this.#units);
  }

  /** The segment that begins where undivided segments do: the source's own pictures can begin there at the latest. */
  get firstUndivided(): number {
    return this.#cuts.length === 0 ? 0 : this.#cuts.length + 1;
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

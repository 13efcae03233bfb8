/** Plans the parts of a freeze: a still and silence while no media arrives. Pure. */

/** A rendition at the beginning of the freeze. */
export interface FrozenRendition {
  timescale: number;
  frameTicks: number;
  /** End of its media on the session's timeline. */
  endTicks: number;
}

export interface FreezeTimes {
  segmentSeconds: number;
  partTargetMs: number;
}

/** The frames of one part, numbered from 0 in its segment. */
export interface FrozenFrames {
  first: number;
  count: number;
  isLast: boolean;
  /** Decode time of the first frame. */
  decodeTicks: number;
}

const endSeconds = ({ endTicks, timescale }: FrozenRendition) => endTicks / timescale;

/** Shortest segment, as `MIN_LAST_SEGMENT_SECONDS` in encoder/live/run.ts. */
const LEAST_SECONDS = 1;
/** Renditions whose ends differ by more have lost media, so a common freeze cannot follow them. */
const MAX_SPREAD_SEGMENTS = 0.5;

/** Whether the renditions end close enough to each other for a common freeze. */
export function canFreeze(renditions: FrozenRendition[], { segmentSeconds }: FreezeTimes): boolean {
  const ends = renditions.map(endSeconds);
  return ends.length > 0 && Math.max(...ends) - Math.min(...ends) <= MAX_SPREAD_SEGMENTS * segmentSeconds;
}

/** The segments and parts of a freeze. Each rendition's segment boundaries are at the frame nearest to the same times. */
export class FreezePlan {
  readonly #startSeconds: number;
  readonly #times: FreezeTimes;

  /** @param renditions all renditions of the freeze */
  constructor(renditions: FrozenRendition[], times: FreezeTimes) {
    this.#startSeconds = Math.min(...renditions.map(endSeconds));
    this.#times = times;
  }

  /** @param segment from 0 in the freeze @returns null after the segment's last part */
  part(rendition: FrozenRendition, segment: number, part: number): FrozenFrames | null {
    const [from, to] = [this.#boundary(rendition, segment), this.#boundary(rendition, segment + 1)];
    const size = this.#partFrames(rendition);
    const first = part * size;
    const count = Math.min(size, to - from - first);
    if (count <= 0) return null;
    const decodeTicks = rendition.endTicks + (from + first) * rendition.frameTicks;
    return { first, count, isLast: from + first + count === to, decodeTicks };
  }

  /**
   * The end of a freeze before media of this time. It is later when the last segment would be too short, and immediate when the whole freeze
   * would be shorter than a segment may be.
   *
   * @param reachedSeconds end of the freeze so far; null before its first part
   */
  endFor(mediaSeconds: number, reachedSeconds: number | null): number {
    const { segmentSeconds } = this.#times;
    const seconds = Math.max(mediaSeconds, reachedSeconds ?? this.#startSeconds);
    if (reachedSeconds === null && seconds - this.#startSeconds < LEAST_SECONDS / 2) return this.#startSeconds;
    const segment = Math.floor((seconds - this.#startSeconds) / segmentSeconds + 1e-9);
    const begins = this.#startSeconds + segment * segmentSeconds;
    return seconds - begins > 1e-6 ? Math.max(seconds, begins + LEAST_SECONDS) : seconds;
  }

  /** The last part that extends a rendition to the frame nearest to this time; null when none is needed. */
  partUntil(rendition: FrozenRendition, segment: number, part: number, untilSeconds: number): FrozenFrames | null {
    const whole = this.part(rendition, segment, part);
    if (whole === null) return null;
    const left = Math.round(
      (untilSeconds - whole.decodeTicks / rendition.timescale) * (rendition.timescale / rendition.frameTicks),
    );
    if (left <= 0) return null;
    return left >= whole.count ? whole : { ...whole, count: left, isLast: true };
  }

  /** Frames from the beginning of the freeze to the beginning of a segment. */
  #boundary(rendition: FrozenRendition, segment: number): number {
    if (segment === 0) return 0;
    const seconds = this.#startSeconds + segment * this.#times.segmentSeconds - endSeconds(rendition);
    return Math.round((seconds * rendition.timescale) / rendition.frameTicks);
  }

  #partFrames({ timescale, frameTicks }: FrozenRendition): number {
    return Math.max(1, Math.floor((this.#times.partTargetMs * timescale) / 1000 / frameTicks + 1e-6));
  }
}

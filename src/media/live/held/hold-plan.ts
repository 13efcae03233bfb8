/** Plans the parts of a hold: a still and silence while no media arrives. Pure. */

/** A rendition at the beginning of the hold. */
export interface HeldRendition {
  timescale: number;
  frameTicks: number;
  /** End of its media on the session's timeline. */
  endTicks: number;
}

export interface HoldTimes {
  segmentSeconds: number;
  partTargetMs: number;
}

/** The frames of one part, numbered from 0 in its segment. */
export interface HeldFrames {
  first: number;
  count: number;
  isLast: boolean;
  /** Decode time of the first frame. */
  decodeTicks: number;
}

const endSeconds = ({ endTicks, timescale }: HeldRendition) => endTicks / timescale;

/** Shortest segment, as `MIN_LAST_SEGMENT_SECONDS` in encoder/live/run.ts. */
const LEAST_SECONDS = 1;
/** Renditions whose ends differ by more have lost media, so a common hold cannot follow them. */
const MAX_SPREAD_SEGMENTS = 0.5;

/** Whether the renditions end close enough to each other for a common hold. */
export function canHold(renditions: HeldRendition[], { segmentSeconds }: HoldTimes): boolean {
  const ends = renditions.map(endSeconds);
  return ends.length > 0 && Math.max(...ends) - Math.min(...ends) <= MAX_SPREAD_SEGMENTS * segmentSeconds;
}

/** The segments and parts of a hold. Each rendition's segment boundaries are at the frame nearest to the same times. */
export class HoldPlan {
  readonly #startSeconds: number;
  readonly #times: HoldTimes;

  /** @param renditions all renditions of the hold */
  constructor(renditions: HeldRendition[], times: HoldTimes) {
    this.#startSeconds = Math.min(...renditions.map(endSeconds));
    this.#times = times;
  }

  /** @param segment from 0 in the hold @returns null after the segment's last part */
  part(rendition: HeldRendition, segment: number, part: number): HeldFrames | null {
    const [from, to] = [this.#boundary(rendition, segment), this.#boundary(rendition, segment + 1)];
    const size = this.#partFrames(rendition);
    const first = part * size;
    const count = Math.min(size, to - from - first);
    if (count <= 0) return null;
    const decodeTicks = rendition.endTicks + (from + first) * rendition.frameTicks;
    return { first, count, isLast: from + first + count === to, decodeTicks };
  }

  /**
   * The end of a hold before media of this time. It is later when the last segment would be too short, and immediate when the whole hold
   * would be shorter than a segment may be.
   *
   * @param reachedSeconds end of the hold so far; null before its first part
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
  partUntil(rendition: HeldRendition, segment: number, part: number, untilSeconds: number): HeldFrames | null {
    const whole = this.part(rendition, segment, part);
    if (whole === null) return null;
    const left = Math.round(
      (untilSeconds - whole.decodeTicks / rendition.timescale) * (rendition.timescale / rendition.frameTicks),
    );
    if (left <= 0) return null;
    return left >= whole.count ? whole : { ...whole, count: left, isLast: true };
  }

  /** Frames from the beginning of the hold to the beginning of a segment. */
  #boundary(rendition: HeldRendition, segment: number): number {
    if (segment === 0) return 0;
    const seconds = this.#startSeconds + segment * this.#times.segmentSeconds - endSeconds(rendition);
    return Math.round((seconds * rendition.timescale) / rendition.frameTicks);
  }

  #partFrames({ timescale, frameTicks }: HeldRendition): number {
    return Math.max(1, Math.floor((this.#times.partTargetMs * timescale) / 1000 / frameTicks + 1e-6));
  }
}

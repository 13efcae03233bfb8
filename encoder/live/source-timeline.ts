/**
 * Detects jumps in a source's timestamps. Pure. The picture leads (or one sound, without a picture). Sound far from the leader is on
 * another timeline, because one of them jumps a few packets before the other.
 */

/** A forward step up to this length is a gap to fill; a longer one is a jump. */
export const LONGEST_GAP_SECONDS = 3;
/** Tolerated backward step of decode times, which should never decrease. */
export const BACK_SECONDS = 0.1;

export type Kind = "video" | "audio";
export type Place = "continuous" | "jump" | "stray";

export class SourceTimeline {
  readonly #nearSeconds: number;
  /** Decode time of the leader's last packet, in source seconds. */
  #lastSeconds: number | undefined;
  /** Latest time reached by any stream. */
  #passedSeconds = -Infinity;

  /** @param interleaveSeconds maximum distance between picture and sound of the same time */
  constructor(interleaveSeconds: number) {
    this.#nearSeconds = Math.max(LONGEST_GAP_SECONDS, 2 * interleaveSeconds);
  }

  /** Another stream leads from its next packet on. */
  changeLeader(): void {
    this.#lastSeconds = undefined;
  }

  /** @param isLeader the packet is of the stream that leads @param seconds its decode time in source seconds */
  place(isLeader: boolean, seconds: number): Place {
    const last = this.#lastSeconds;
    if (!isLeader) return this.isNear(seconds) ? "continuous" : "stray";
    this.#lastSeconds = seconds;
    const isJump =
      last !== undefined &&
      (seconds < last - BACK_SECONDS || seconds > Math.max(last, this.#passedSeconds) + LONGEST_GAP_SECONDS);
    if (isJump || seconds > this.#passedSeconds) this.#passedSeconds = seconds;
    return isJump ? "jump" : "continuous";
  }

  /** Whether a packet of another stream may be on the leader's timeline. */
  isNear(seconds: number): boolean {
    return this.#lastSeconds === undefined || Math.abs(seconds - this.#passedSeconds) <= this.#nearSeconds;
  }

  /** Advances time while the leader stalls and another stream continues, so that a late picture is not a jump. */
  passUntil(seconds: number): void {
    if (this.#lastSeconds !== undefined) this.#passedSeconds = Math.max(this.#passedSeconds, seconds);
  }
}

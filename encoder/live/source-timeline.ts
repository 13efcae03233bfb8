/**
 * Whether the timestamps of a source go on. Pure. The picture leads (the sound, where there is none): sound far from the picture is
 * not of the same timeline, because the one jumps a few packets before the other.
 */

/** A step forward of up to this is a hole that is filled; a longer one begins anew. */
const LONGEST_HOLE_SECONDS = 3;
/** Times of decoding never go back; this much is carelessness. */
const BACK_SECONDS = 0.1;

export type Kind = "video" | "audio";
export type Place = "goes-on" | "jump" | "stray";

export class SourceTimeline {
  readonly #leader: Kind;
  readonly #nearSeconds: number;
  /** Decode time of the leader's last packet, in the source's seconds. */
  #lastSeconds: number | undefined;
  /** Where time has got to, with or without the leader. */
  #passedSeconds = -Infinity;

  /** @param interleaveSeconds how far picture and sound of the same time lie apart at most */
  constructor(leader: Kind, interleaveSeconds: number) {
    this.#leader = leader;
    this.#nearSeconds = Math.max(LONGEST_HOLE_SECONDS, 2 * interleaveSeconds);
  }

  /** @param seconds a packet's decode time in the source's own seconds */
  place(kind: Kind, seconds: number): Place {
    const last = this.#lastSeconds;
    if (kind !== this.#leader) return this.isNear(seconds) ? "goes-on" : "stray";
    this.#lastSeconds = seconds;
    const isJump =
      last !== undefined &&
      (seconds < last - BACK_SECONDS || seconds > Math.max(last, this.#passedSeconds) + LONGEST_HOLE_SECONDS);
    if (isJump || seconds > this.#passedSeconds) this.#passedSeconds = seconds;
    return isJump ? "jump" : "goes-on";
  }

  /** Whether a packet of the other kind may be of the leader's timeline. */
  isNear(seconds: number): boolean {
    return this.#lastSeconds === undefined || Math.abs(seconds - this.#passedSeconds) <= this.#nearSeconds;
  }

  /** The leader stands still and the other goes on: time passes all the same. A picture that comes late is no jump. */
  passUntil(seconds: number): void {
    if (this.#lastSeconds !== undefined) this.#passedSeconds = Math.max(this.#passedSeconds, seconds);
  }
}

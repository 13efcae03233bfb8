/**
 * From source pictures at any time to a constant rate, without waiting for the next picture as `media/frame-picker.ts` does: a live
 * picture is shown as soon as it is there. Pure.
 */
import type { Fraction } from "../../protocol/jobs.ts";

/** Pictures may be this much of a frame early: times are rounded to milliseconds, and jitter. */
const TOLERANCE_FRAMES = 0.25;

export class LivePicker {
  readonly #rate: Fraction;
  #next = 0;

  constructor(rate: Fraction) {
    this.#rate = rate;
  }

  /** Goes on in a run that another encoder began: the picture of this time is the first. */
  startAt(seconds: number): void {
    this.#next = Math.max(0, this.#frameAt(seconds));
  }

  /** Output frames so far. */
  get count(): number {
    return this.#next;
  }

  /**
   * Where a picture of this time goes; null when its place is taken. The output frames in between are `repeated`: they show the picture
   * before it. The very first picture fills the places before it.
   */
  place(seconds: number): { repeated: number; frame: number } | null {
    const frame = this.#frameAt(seconds);
    if (frame < this.#next) return null;
    const repeated = frame - this.#next;
    this.#next = frame + 1;
    return { repeated, frame };
  }

  /** Whether a picture of this time goes right behind the last one. */
  isNext(seconds: number): boolean {
    return this.#frameAt(seconds) === this.#next;
  }

  /** How often the last picture is shown again so that it stands until then. */
  holdUntil(seconds: number): number {
    const end = Math.floor((seconds * this.#rate.num) / this.#rate.den);
    const repeated = Math.max(0, end - this.#next);
    this.#next += repeated;
    return repeated;
  }

  #frameAt(seconds: number): number {
    return Math.floor((seconds * this.#rate.num) / this.#rate.den + TOLERANCE_FRAMES);
  }
}

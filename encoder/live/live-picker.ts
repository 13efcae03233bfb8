/**
 * Maps source pictures with arbitrary times to a constant frame rate. Unlike `media/frame-picker.ts`, it does not wait for the next
 * picture: a live picture is encoded as soon as it arrives. Pure.
 */
import type { Fraction } from "../../protocol/source-facts.ts";

/** Tolerated earliness as a fraction of a frame: times are rounded to milliseconds and jitter. */
const TOLERANCE_FRAMES = 0.25;

export class LivePicker {
  readonly #rate: Fraction;
  #next = 0;

  constructor(rate: Fraction) {
    this.#rate = rate;
  }

  /** Continues a run that another encoder started, with the picture of this time as the first. */
  startAt(seconds: number): void {
    this.#next = Math.max(0, this.#frameAt(seconds));
  }

  /** Output frames so far. */
  get count(): number {
    return this.#next;
  }

  /**
   * Returns the output frame of a picture with this time, or null when that frame already has a picture. The `repeated` frames before it
   * repeat the previous picture, or the picture itself when it is the first.
   */
  place(seconds: number): { repeated: number; frame: number } | null {
    const frame = this.#frameAt(seconds);
    if (frame < this.#next) return null;
    const repeated = frame - this.#next;
    this.#next = frame + 1;
    return { repeated, frame };
  }

  /** Whether a picture of this time is the next output frame. */
  isNext(seconds: number): boolean {
    return this.#frameAt(seconds) === this.#next;
  }

  /** Returns how many times the last picture is repeated to extend it to this time. */
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

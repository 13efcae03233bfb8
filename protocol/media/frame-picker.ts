/**
 * Maps source frames with arbitrary times to output frames at a constant rate. Output frame n shows the last source frame whose time is not
 * after n / rate + tolerance. The rule depends only on times, so chunks agree on every frame regardless of where decoding started.
 */
import type { Fraction } from "../source-facts.ts";

/**
 * A quarter of an output frame: large enough for times rounded to milliseconds (Matroska, FLV), and well below one half, the position of
 * every second frame of a source with twice the rate.
 */
export const TOLERANCE_FRAMES = 0.25;

export const frameSeconds = (rate: Fraction) => rate.den / rate.num;

/** The first output frame that may show a source frame of this time; negative before the presentation. */
export function firstFrameShowing(timeSeconds: number, rate: Fraction): number {
  return Math.ceil((timeSeconds * rate.num) / rate.den - TOLERANCE_FRAMES - 1e-6);
}

/** Number of output frames of a picture that ends at this presentation time; at least one. */
export function frameCountUntil(endSeconds: number, rate: Fraction): number {
  return Math.max(1, firstFrameShowing(endSeconds, rate));
}

export interface Pick<Frame> {
  frame: Frame;
  firstFrame: number; // the first output frame that shows it
  count: number;
}

/**
 * Picks source frames for the output frames [firstFrame, endFrame). Source frames are pushed in ascending order of time; `finish` sets the
 * end of the last one. The first frame also fills all output frames before it.
 */
export class FramePicker<Frame> {
  #held: Frame | undefined;
  #next: number;
  readonly #end: number;
  readonly #rate: Fraction;
  readonly #release: (frame: Frame) => void;

  /** `release` is called with every frame that is not picked. */
  constructor(range: { rate: Fraction; firstFrame: number; frameCount: number }, release: (frame: Frame) => void) {
    this.#rate = range.rate;
    this.#next = range.firstFrame;
    this.#end = range.firstFrame + range.frameCount;
    this.#release = release;
  }

  get isComplete(): boolean {
    return this.#next >= this.#end;
  }

  /** @returns the pick of the previously pushed frame, which the caller then owns */
  push(frame: Frame, timeSeconds: number): Pick<Frame> | undefined {
    const pick = this.#closeAt(firstFrameShowing(timeSeconds, this.#rate));
    this.#held = frame;
    return pick;
  }

  finish(endSeconds: number): Pick<Frame> | undefined {
    return this.#closeAt(frameCountUntil(endSeconds, this.#rate));
  }

  #closeAt(frameAfter: number): Pick<Frame> | undefined {
    const held = this.#held;
    if (held === undefined) return undefined;
    this.#held = undefined;
    const firstFrame = this.#next;
    const count = Math.min(frameAfter, this.#end) - firstFrame;
    if (count <= 0) {
      this.#release(held);
      return undefined;
    }
    this.#next += count;
    return { frame: held, firstFrame, count };
  }
}

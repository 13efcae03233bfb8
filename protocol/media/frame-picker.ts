/**
 * From source frames at any time to output frames at a constant rate. Output frame n shows the last source frame whose
 * time is not after n / rate + tolerance. That rule looks at times only, so chunks agree about every frame wherever
 * their reading began.
 */
import type { Fraction } from "../jobs.ts";

/**
 * A quarter of an output frame: far from 0, so that times rounded to milliseconds (Matroska, FLV) still fall on their own
 * frame, and far from one half, where every second frame of a source of twice the rate lies.
 */
export const TOLERANCE_FRAMES = 0.25;

export const frameSeconds = (rate: Fraction) => rate.den / rate.num;

/** The first output frame that may show a source frame of this time; below 0 when it lies before the presentation. */
export function firstFrameShowing(timeSeconds: number, rate: Fraction): number {
  return Math.ceil((timeSeconds * rate.num) / rate.den - TOLERANCE_FRAMES - 1e-6);
}

/** Output frames of a picture that ends at this time after presentation zero; a picture has at least one. */
export function frameCountUntil(endSeconds: number, rate: Fraction): number {
  return Math.max(1, firstFrameShowing(endSeconds, rate));
}

export interface Pick<Frame> {
  frame: Frame;
  firstFrame: number; // the first output frame that shows it
  count: number;
}

/**
 * Picks for the output frames [firstFrame, endFrame). Source frames are pushed in the order of their times; `finish` says
 * where the last one ends. The first frame ever pushed also fills what lies before it.
 */
export class FramePicker<Frame> {
  #held: Frame | undefined;
  #next: number;
  readonly #end: number;
  readonly #rate: Fraction;
  readonly #release: (frame: Frame) => void;

  /** `release` gets every frame that is not picked, or not picked any more. */
  constructor(range: { rate: Fraction; firstFrame: number; frameCount: number }, release: (frame: Frame) => void) {
    this.#rate = range.rate;
    this.#next = range.firstFrame;
    this.#end = range.firstFrame + range.frameCount;
    this.#release = release;
  }

  get isComplete(): boolean {
    return this.#next >= this.#end;
  }

  /** @returns what the frame pushed before this one is good for; the caller owns that frame then */
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

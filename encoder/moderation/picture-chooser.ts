/** Chooses pictures by their times and the cuts before them. Pure. */
import { MAX_JUDGED_PICTURES } from "../../protocol/pictures.ts";
import type { PictureSpacing } from "./picture-spacing.ts";

/** A longer distance between two pictures is a hole in the media, from which the next distance does not follow. */
const MAX_STEP_MS = 500;

/**
 * Takes the first picture, the first one of each scene, and one before the longest gap is over. A scene that begins too soon after the last taken
 * picture is taken as soon as the shortest gap is over, so a scene is missing only if it has ended by then.
 */
export class PictureChooser {
  readonly #spacing: PictureSpacing;
  #takenMs = -Infinity;
  #previousMs: number | null = null;
  /** The longest distance between two pictures so far: the next one may be as far away. */
  #stepMs = 0;
  #isNewScene = false;
  #count = 0;

  constructor(spacing: PictureSpacing) {
    this.#spacing = spacing;
  }

  /** @param timeMs not before that of the picture before @param isCut whether a scene begins with it */
  takes(timeMs: number, isCut: boolean): boolean {
    const stepMs = this.#previousMs === null ? 0 : timeMs - this.#previousMs;
    if (stepMs <= MAX_STEP_MS) this.#stepMs = Math.max(this.#stepMs, stepMs);
    this.#previousMs = timeMs;
    this.#isNewScene ||= isCut;
    const gapMs = timeMs - this.#takenMs;
    const isDue = this.#isNewScene || gapMs + this.#stepMs > this.#spacing.maxGapMs;
    if (!isDue || gapMs < this.#spacing.minGapMs || this.#count === MAX_JUDGED_PICTURES) return false;
    this.#takenMs = timeMs;
    this.#isNewScene = false;
    this.#count += 1;
    return true;
  }
}

/** Of a job that wants nothing but the times of the scenes. Pure. */
import { MAX_JUDGED_PICTURES } from "../../protocol/pictures.ts";
import type { PictureSink } from "./picture-sink.ts";
import type { PictureSpacing } from "./picture-spacing.ts";

/** Takes the first picture of each scene, none within the shortest gap of another one. The beginning of the media is no cut. */
export class CutChooser {
  readonly #minGapMs: number;
  #takenMs = -Infinity;
  #count = 0;

  constructor({ minGapMs }: Pick<PictureSpacing, "minGapMs">) {
    this.#minGapMs = minGapMs;
  }

  takes(timeMs: number, isCut: boolean): boolean {
    if (!isCut || timeMs - this.#takenMs < this.#minGapMs || this.#count === MAX_JUDGED_PICTURES) return false;
    this.#takenMs = timeMs;
    this.#count += 1;
    return true;
  }
}

export const NO_PICTURES: PictureSink = {
  put: async () => {},
  finish: async () => ({ engine: null, model: null, judgeMs: 0, scores: [] }),
  close: () => {},
};

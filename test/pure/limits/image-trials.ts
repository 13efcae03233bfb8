/** Limits of pictures. */
import { isMediaLength, isRequestLength, takesTooLong } from "../../../encoder/images/limits.ts";
import { Places } from "../../../encoder/images/places.ts";
import type { PictureRequest } from "../../../protocol/images.ts";
import { readClip, readStill } from "../../../src/media/images/parameters.ts";
import { planAdvancedSheet, planSheet, type SheetPlan } from "../../../src/media/images/sheet-plan.ts";
import { type Problem, PROBLEMS } from "../../../src/platform/http/problems.ts";
import { TAKEN, upTo } from "../../support/limits/trials.ts";
import { ladderRung } from "../media/images/rungs.ts";

/** The status of a query. */
function refused(read: (query: URLSearchParams) => unknown, query: Record<string, string>): string {
  try {
    read(new URLSearchParams(query));
    return TAKEN;
  } catch (error) {
    return String(PROBLEMS[(error as Problem).code].status);
  }
}

/** Whether a sheet has its shortest interval. */
const unlessLonger = (plan: SheetPlan | null, seconds: number) =>
  plan?.intervalSeconds === seconds ? TAKEN : "longer";

const answered = (isTaken: boolean, status: string) => (isTaken ? TAKEN : status);

/** The last of so many requests that wait. */
function placed(waiting: number): string {
  const places = new Places();
  const taken = Array.from({ length: 2 + waiting }, () => places.take());
  return answered(taken.at(-1) !== null, "429");
}

export const IMAGE_TRIALS = {
  "image-size": upTo((px) => refused(readStill, { width: String(px) })),
  "image-clip-length": upTo((ms) => refused(readClip, { start: "1", end: String(1 + ms / 1000) })),
  "image-clip-size": upTo((px) => refused(readClip, { height: String(px) })),
  "image-clip-rate": upTo((rate) => refused(readClip, { fps: String(rate) })),
  // A GOP lasts two seconds, a segment two GOPs.
  "image-sheet-tiles": upTo((tiles) => unlessLonger(planSheet([ladderRung({ gops: tiles })]), 2)),
  "image-advanced-tiles": upTo((tiles) => unlessLonger(planAdvancedSheet([ladderRung({ gops: tiles })], 2), 2)),
  "image-sheet-media": upTo((bytes) =>
    unlessLonger(planSheet([ladderRung({ gops: 2, keyframeBytes: [bytes - 1000, 1000] })]), 2),
  ),
  "encoder-image-request": upTo((bytes) => answered(isRequestLength(bytes), "422")),
  "encoder-image-media": upTo((bytes) => answered(isMediaLength({ kind: "picture", bytes } as PictureRequest), "422")),
  "encoder-image-time": upTo((ms) => answered(!takesTooLong(1000, 1000 + ms), "422")),
  "encoder-images": upTo(placed),
};

import { type Rendition, secondsOf } from "../manifest/model.ts";
import { frameAt, type MediaPlace } from "./place.ts";
import { bySmallest } from "./sizes.ts";

/** The part of a video in which its poster is looked for. */
const POSTER_SECONDS = 60;
const MAX_CANDIDATES = 30;
const MAX_MEDIA_BYTES = 16 << 20;

/** The frames that may become the poster, and the time of each. */
export interface PosterPlan {
  seconds: number[];
  places: MediaPlace[];
}

/** A frame every two seconds of the first minute, most of them key frames, from the smallest rung. @returns null without a picture */
export function planPoster(rungs: readonly Rendition[]): PosterPlan | null {
  const [rung] = rungs.filter(({ widthPx }) => widthPx !== null).toSorted(bySmallest);
  if (rung === undefined) return null;
  const lastSeconds = Math.min(POSTER_SECONDS, secondsOf(rung));
  const step = Math.max(gopSeconds(rung), lastSeconds / MAX_CANDIDATES);
  const plan: PosterPlan = { seconds: [], places: [] };
  let bytes = 0;
  for (let n = 0; n * step < lastSeconds || n === 0; n++) {
    const place = frameAt(rung, n * step)?.place;
    if (place === undefined) return null;
    bytes += place.bytes;
    if (n > 0 && bytes > MAX_MEDIA_BYTES) break;
    plan.seconds.push(n * step);
    plan.places.push(place);
  }
  return plan;
}

/** The time between key frames of the ladder; two seconds for other media. */
function gopSeconds({ frameRateNum, frameRateDen }: Rendition): number {
  if (frameRateNum === null || frameRateDen === null) return 2;
  return (Math.max(1, Math.round((2 * frameRateNum) / frameRateDen)) * frameRateDen) / frameRateNum;
}

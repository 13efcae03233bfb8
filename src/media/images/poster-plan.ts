import { type Rendition, secondsOf } from "../manifest/model.ts";
import { frameAt, type MediaPlace } from "./place.ts";
import { bySmallest } from "./sizes.ts";

/** The part of a video in which its poster is looked for. */
const POSTER_SECONDS = 60;
const MAX_CANDIDATES = 30;
/** For a short video: with fewer, all of them may be black or blurred. */
const LEAST_CANDIDATES = 12;
const MAX_MEDIA_BYTES = 16 << 20;

/** The frames that may become the poster, and the time of each. */
export interface PosterPlan {
  seconds: number[];
  places: MediaPlace[];
}

/**
 * A frame every two seconds of the first minute, most of them key frames, and frames between them when these are few. From the smallest rung.
 *
 * @returns null without a picture
 */
export function planPoster(rungs: readonly Rendition[]): PosterPlan | null {
  const [rung] = rungs.filter(({ widthPx }) => widthPx !== null).toSorted(bySmallest);
  if (rung === undefined) return null;
  const lastSeconds = Math.min(POSTER_SECONDS, secondsOf(rung));
  const step = Math.max(gopSeconds(rung), lastSeconds / MAX_CANDIDATES);
  const keys = timesUntil(lastSeconds, step);
  const between = keys.length < LEAST_CANDIDATES ? timesUntil(lastSeconds, lastSeconds / LEAST_CANDIDATES) : [];
  const plan: PosterPlan = { seconds: [], places: [] };
  let bytes = 0;
  for (const seconds of new Set([...keys, ...between])) {
    const place = frameAt(rung, seconds)?.place;
    if (place === undefined) return null;
    bytes += place.bytes;
    if (plan.seconds.length > 0 && bytes > MAX_MEDIA_BYTES) break;
    plan.seconds.push(seconds);
    plan.places.push(place);
  }
  return plan;
}

/** 0 and its multiples of a step before an end. */
const timesUntil = (endSeconds: number, stepSeconds: number): number[] =>
  Array.from({ length: Math.max(1, Math.ceil(endSeconds / stepSeconds)) }, (_, n) => n * stepSeconds);

/** The time between key frames of the ladder; two seconds for other media. */
function gopSeconds({ frameRateNum, frameRateDen }: Rendition): number {
  if (frameRateNum === null || frameRateDen === null) return 2;
  return (Math.max(1, Math.round((2 * frameRateNum) / frameRateDen)) * frameRateDen) / frameRateNum;
}

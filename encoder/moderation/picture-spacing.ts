/** How far apart the pictures of a media are. Pure. */
import { MAX_JUDGED_PICTURES, MIN_PICTURE_GAP_MS, PICTURE_GAP_MS } from "../../protocol/pictures.ts";

export interface PictureSpacing {
  /** No two pictures are nearer. */
  minGapMs: number;
  /** No two pictures are further apart, as far as the media has pictures between them. */
  maxGapMs: number;
}

/** A media of `MAX_JUDGED_PICTURES` scenes has that many pictures, so in long ones the nearest two are further apart. */
export function pictureSpacing(durationMs: number): PictureSpacing {
  const minGapMs = Math.max(MIN_PICTURE_GAP_MS, durationMs / (MAX_JUDGED_PICTURES - 1));
  return { minGapMs, maxGapMs: Math.max(PICTURE_GAP_MS, minGapMs) };
}

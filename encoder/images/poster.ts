/** Chooses the frame that stands for a video. */
import type { PosterChoice, PosterRequest } from "../../protocol/images.ts";
import { bestPoster, posterScore } from "../../protocol/media/poster-score.ts";
import { forWantedFrames } from "./frames.ts";
import { smallPictureOf } from "./transform.ts";

/** @throws {JobError} source_damaged */
export async function choosePoster(request: PosterRequest, body: Buffer): Promise<PosterChoice> {
  const scores: number[] = [];
  await forWantedFrames(request, body, async (frame) => {
    scores.push(posterScore(await smallPictureOf(frame)));
  });
  return { best: bestPoster(scores), scores };
}

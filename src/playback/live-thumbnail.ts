import { imageMaker } from "../library/images/index.ts";
import { readStill } from "../media/images/parameters.ts";
import type { Env } from "../platform/env.ts";
import { imageResponse } from "./deliver-image.ts";
import { answerLiveThumbnail, onAir } from "./live.ts";
import type { RequestContext } from "./origin.ts";
import type { ImageFile } from "./paths.ts";
import type { Resolved } from "./resolve.ts";
import { unknownPlayback } from "./unknown-playback.ts";
import type { Viewer } from "./viewer.ts";

/** A thumbnail of the live edge is replaced every five seconds. */
const FOLLOWING = "public, max-age=5";

/**
 * The newest picture of a broadcast: as its encoder made it, or in the size and format that is asked for. `time` is ignored.
 *
 * @throws {Problem} playback_not_found, not_ready, validation_failed, unavailable
 */
export async function answerThumbnailOfStream(
  { request, url: { searchParams: query } }: Viewer,
  env: Env,
  ctx: RequestContext,
  { playable, rules }: Extract<Resolved, { kind: "stream" }>,
  file: ImageFile,
): Promise<Response> {
  if (file.kind !== "still") throw unknownPlayback();
  const { fit } = readStill(query);
  const isPlain = fit.widthPx === null && fit.heightPx === null && fit.rotate === 0 && fit.flip === "none";
  if (isPlain && file.format === "jpg") return await answerLiveThumbnail(env, ctx, request, playable);
  const { id: sessionId } = onAir(playable);
  const order = { sessionId, playbackId: rules.playbackId, format: file.format, fit };
  return imageResponse(request, await imageMaker(env, sessionId).change(order), FOLLOWING);
}

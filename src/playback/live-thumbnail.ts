import { imageMaker } from "../library/images/index.ts";
import { readStill } from "../media/images/parameters.ts";
import type { Env } from "../platform/env.ts";
import { deliverImage, imageResponse } from "./deliver-image.ts";
import { refusalOfPast } from "./live-admission.ts";
import { answerLiveThumbnail, onAir } from "./live.ts";
import type { RequestContext } from "./origin.ts";
import type { Permission } from "./permission.ts";
import { pastStillOrder } from "./past-still.ts";
import type { ImageFile } from "./paths.ts";
import type { Resolved } from "./resolve.ts";
import { unknownPlayback } from "./unknown-playback.ts";
import type { Viewer } from "./viewer.ts";

/** A thumbnail of the live edge is replaced every five seconds. */
const FOLLOWING = "public, max-age=5";

/**
 * The newest picture of a broadcast, as its encoder made it, or in the size and format that is asked for; with `time`, a picture of what has been
 * broadcast.
 *
 * @throws {Problem} playback_not_found, not_ready, validation_failed, unavailable
 */
export async function answerThumbnailOfStream(
  viewer: Viewer,
  permission: Permission,
  env: Env,
  ctx: RequestContext,
  { playable, rules }: Extract<Resolved, { kind: "stream" }>,
  file: ImageFile,
): Promise<Response> {
  if (file.kind !== "still") throw unknownPlayback();
  const { request } = viewer;
  const { seconds, fit } = readStill(viewer.url.searchParams);
  if (seconds !== null) {
    await refusalOfPast(viewer, permission, env, ctx, onAir(playable)); // refuses nothing on air, and limits caching
    const broadcast = { sessionId: onAir(playable).id, rules };
    const order = await pastStillOrder(env, ctx, broadcast, { seconds, fit, format: file.format });
    return await deliverImage(request, env, ctx, order, true);
  }
  const isPlain =
    fit.widthPx === null && fit.heightPx === null && fit.rotate === 0 && fit.flip === "none" && fit.blur === 0;
  if (isPlain && file.format === "jpg") return await answerLiveThumbnail(env, ctx, request, playable);
  const { id: sessionId } = onAir(playable);
  const order = { sessionId, workspaceId: rules.workspaceId, playbackId: rules.playbackId, format: file.format, fit };
  return imageResponse(request, await imageMaker(env, sessionId).change(order), FOLLOWING);
}

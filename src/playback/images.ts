import { clipOrder, stillOrder } from "../library/images/index.ts";
import { isTooMuchMedia } from "../media/images/media-bound.ts";
import { readClip, readStill, refuseMediaSize, refuseTime } from "../media/images/parameters.ts";
import { type Presentation, presentationOf } from "../media/manifest/model.ts";
import { select } from "../media/manifest/selection.ts";
import type { Env } from "../platform/env.ts";
import { Problem } from "../platform/http/problems.ts";
import type { AccessRules } from "../tenancy/access/index.ts";
import { deliverImage } from "./deliver-image.ts";
import { answerSheet } from "./image-sheets.ts";
import { answerThumbnailOfStream } from "./live-thumbnail.ts";
import { nothingToPlay } from "./manifests.ts";
import type { RequestContext } from "./origin.ts";
import type { ImageFile, Target } from "./paths.ts";
import { posterSeconds } from "./poster.ts";
import { selectionOf } from "./resolution-cap.ts";
import { type Playable, type Resolved, resolvePlaybackId } from "./resolve.ts";
import { unknownPlayback } from "./unknown-playback.ts";
import type { Viewer } from "./viewer.ts";

type ResolvedAsset = Extract<Resolved, { kind: "asset" }>;

/**
 * A picture of an asset or a broadcast. It is decoded from the smallest rung that has its size, kept, and made once however many ask.
 *
 * @throws {Problem} playback_not_found, not_ready, validation_failed, too_many_requests, unavailable, and those of `Viewer.admit`
 */
export async function answerImage(
  viewer: Viewer,
  env: Env,
  ctx: RequestContext,
  { playbackId, file }: Extract<Target, { kind: "image" }>,
): Promise<Response> {
  const resolved = await resolvePlaybackId(env.DB, ctx, playbackId);
  if (resolved === null) throw unknownPlayback();
  const permission = await viewer.admit(resolved.rules);
  if (resolved.kind === "stream") return await answerThumbnailOfStream(viewer, permission, env, ctx, resolved, file);
  const shown = requirePicture(resolved.playable, resolved.rules);
  if (file.kind === "sheet") return await answerSheet(viewer, permission, env, ctx, resolved, shown, file);
  return file.kind === "clip"
    ? await answerClip(viewer, env, ctx, resolved, shown, file)
    : await answerStill(viewer, env, ctx, resolved.playable, resolved.rules, shown, file);
}

/** What there is to show. @throws {Problem} playback_not_found, not_ready */
export function requirePicture(playable: Playable, rules: Pick<AccessRules, "resolution">): Presentation {
  const presentation = presentationOf(playable);
  if (presentation === null) throw nothingToPlay(playable);
  const shown = select(presentation, selectionOf(new URLSearchParams(), rules));
  if (shown.videoSets.length === 0) throw new Problem("playback_not_found", "this media has no picture");
  return shown;
}

/**
 * @param counted the playback ID, or `REVIEW`, whose allowance a new picture uses
 * @throws {Problem} as `answerImage`
 */
export async function answerStill(
  { request, url }: Pick<Viewer, "request" | "url">,
  env: Env,
  ctx: RequestContext,
  playable: Playable,
  counted: Pick<AccessRules, "workspaceId" | "playbackId">,
  shown: Presentation,
  { format }: Extract<ImageFile, { kind: "still" }>,
): Promise<Response> {
  const { seconds: asked, fit } = readStill(url.searchParams);
  const isReady = playable.status === "ready";
  const poster = asked === null && isReady ? await posterSeconds(env, ctx, playable) : null;
  const seconds = asked ?? poster ?? shown.endSeconds / 2;
  requireWithin(shown, seconds, "time");
  const who = { assetId: playable.assetId, workspaceId: counted.workspaceId, playbackId: counted.playbackId };
  const order = stillOrder(who, shown.videoSets.flat(), { seconds, fit, format });
  if (order === null) throw unknownPlayback();
  if (isTooMuchMedia(order.places)) refuseMediaSize("time");
  // Until a media is ready, and without a poster, the frame of an address without `time` changes.
  const isFinal = isReady && (asked !== null || poster !== null);
  return await deliverImage(request, env, ctx, order, isFinal);
}

async function answerClip(
  { request, url }: Viewer,
  env: Env,
  ctx: RequestContext,
  { playable, rules }: ResolvedAsset,
  shown: Presentation,
  { format }: Extract<ImageFile, { kind: "clip" }>,
): Promise<Response> {
  const parameters = readClip(url.searchParams);
  requireWithin(shown, parameters.startSeconds, "start");
  const who = { assetId: playable.assetId, workspaceId: rules.workspaceId, playbackId: rules.playbackId };
  const order = clipOrder(who, shown.videoSets.flat(), parameters, shown.endSeconds, format);
  if (order === null) throw unknownPlayback();
  if (isTooMuchMedia(order.places)) refuseMediaSize("end");
  return await deliverImage(request, env, ctx, order, playable.status === "ready");
}

/** @throws {Problem} validation_failed after the end, not_ready while the end is not known */
function requireWithin({ isComplete, endSeconds }: Presentation, seconds: number, field: "time" | "start"): void {
  if (seconds <= endSeconds) return;
  if (isComplete) refuseTime(field, endSeconds);
  throw new Problem("not_ready", "this part of the media has not been processed yet");
}

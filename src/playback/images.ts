import type { ImageOrder } from "../library/images/index.ts";
import { transformName } from "../media/images/image-key.ts";
import { readClip, readStill, refuseTime } from "../media/images/parameters.ts";
import { frameAt, placesBetween } from "../media/images/place.ts";
import { nearestRung } from "../media/images/sizes.ts";
import { type Presentation, presentationOf } from "../media/manifest/model.ts";
import { select } from "../media/manifest/selection.ts";
import type { Env } from "../platform/env.ts";
import { Problem } from "../platform/http/problems.ts";
import { deliverImage } from "./deliver-image.ts";
import { answerSheet } from "./image-sheets.ts";
import { answerThumbnailOfStream } from "./live-thumbnail.ts";
import { nothingToPlay } from "./manifests.ts";
import type { RequestContext } from "./origin.ts";
import type { ImageFile, Target } from "./paths.ts";
import { posterSeconds } from "./poster.ts";
import { selectionOf } from "./resolution-cap.ts";
import { type Resolved, resolvePlaybackId } from "./resolve.ts";
import { unknownPlayback } from "./unknown-playback.ts";
import type { Viewer } from "./viewer.ts";

/** An animation costs as much as this many stills. */
const CLIP_WEIGHT = 10;

export type ResolvedAsset = Extract<Resolved, { kind: "asset" }>;

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
  if (resolved.kind === "stream") return await answerThumbnailOfStream(viewer, env, ctx, resolved, file);
  const presentation = presentationOf(resolved.playable);
  if (presentation === null) throw nothingToPlay(resolved.playable);
  const shown = select(presentation, selectionOf(new URLSearchParams(), resolved.rules));
  if (shown.videoSets.length === 0) throw new Problem("playback_not_found", "this media has no picture");
  if (file.kind === "sheet") return await answerSheet(viewer, permission, env, ctx, resolved, shown, file);
  return file.kind === "clip"
    ? await answerClip(viewer, env, ctx, resolved, shown, file)
    : await answerStill(viewer, env, ctx, resolved, shown, file);
}

async function answerStill(
  viewer: Viewer,
  env: Env,
  ctx: RequestContext,
  { playable, rules }: ResolvedAsset,
  shown: Presentation,
  { format }: Extract<ImageFile, { kind: "still" }>,
): Promise<Response> {
  const { seconds: asked, fit } = readStill(viewer.url.searchParams);
  const isReady = playable.status === "ready";
  const rungs = shown.videoSets.flat();
  const poster = asked === null && isReady ? await posterSeconds(env, ctx, playable) : null;
  const seconds = asked ?? poster ?? shown.endSeconds / 2;
  requireWithin(shown, seconds, "time");
  const found = nearestRung(rungs, fit);
  const frame = found && frameAt(found.rung, seconds);
  if (found === null || frame === null) throw unknownPlayback();
  const order: ImageOrder = {
    assetId: playable.assetId,
    playbackId: rules.playbackId,
    name: `${found.rung.name}.${frame.name}.${transformName(found.transform)}.${format}`,
    nearSeconds: seconds,
    weight: 1,
    work: { kind: "still", format, transform: found.transform },
    places: [frame.place],
  };
  // Until a media is ready, and without a poster, the frame of an address without `time` changes.
  const isFinal = isReady && (asked !== null || poster !== null);
  return await deliverImage(viewer.request, env, ctx, order, isFinal);
}

async function answerClip(
  viewer: Viewer,
  env: Env,
  ctx: RequestContext,
  { playable, rules }: ResolvedAsset,
  shown: Presentation,
  { format }: Extract<ImageFile, { kind: "clip" }>,
): Promise<Response> {
  const parameters = readClip(viewer.url.searchParams);
  requireWithin(shown, parameters.startSeconds, "start");
  const { widthPx, heightPx } = parameters;
  const fit = { widthPx, heightPx, mode: "preserve", rotate: 0, flip: "none" } as const;
  const found = nearestRung(shown.videoSets.flat(), fit);
  if (found === null) throw unknownPlayback();
  const size = found.transform.scale;
  const { startSeconds, framesPerSecond } = parameters;
  const endSeconds = Math.max(startSeconds + 0.01, Math.min(parameters.endSeconds, shown.endSeconds));
  const places = placesBetween(found.rung, startSeconds, endSeconds);
  if (places.length === 0) throw unknownPlayback();
  const times = [startSeconds, endSeconds].map((time) => Math.round(time * 1000)).join("-");
  return await deliverImage(
    viewer.request,
    env,
    ctx,
    {
      assetId: playable.assetId,
      playbackId: rules.playbackId,
      name: `clip.${found.rung.name}.${times}.${size.widthPx}x${size.heightPx}-${framesPerSecond}.${format}`,
      nearSeconds: null,
      weight: CLIP_WEIGHT,
      work: { kind: "clip", format, framesPerSecond, size, startSeconds, endSeconds },
      places,
    },
    playable.status === "ready",
  );
}

/** @throws {Problem} validation_failed after the end, not_ready while the end is not known */
function requireWithin({ isComplete, endSeconds }: Presentation, seconds: number, field: "time" | "start"): void {
  if (seconds <= endSeconds) return;
  if (isComplete) refuseTime(field, endSeconds);
  throw new Problem("not_ready", "this part of the media has not been processed yet");
}

import { type ImageOrder, stillOrder } from "../library/images/index.ts";
import { findSessionRange } from "../live/index.ts";
import { refuseTimeAhead, type StillParameters } from "../media/images/parameters.ts";
import { presentationOf } from "../media/manifest/model.ts";
import { select } from "../media/manifest/selection.ts";
import type { Env } from "../platform/env.ts";
import { Problem } from "../platform/http/problems.ts";
import type { StillFormat } from "../../protocol/images.ts";
import { broadcastFacts } from "./live-clips.ts";
import type { RequestContext } from "./origin.ts";
import { selectionOf } from "./resolution-cap.ts";
import type { Resolved } from "./resolve.ts";
import { unknownPlayback } from "./unknown-playback.ts";

/** A range this long has the segment of its start, and no other that matters. */
const MOMENT_SECONDS = 0.001;

/**
 * The order of a frame of a broadcast on air, out of a segment that is whole.
 *
 * @param seconds since the broadcast began, as of a clip of it
 * @throws {Problem} validation_failed after what has been broadcast; not_ready in the segment that is not whole yet; playback_not_found where there
 *   is no picture; unavailable
 */
export async function pastStillOrder(
  env: Env,
  ctx: RequestContext,
  { sessionId, rules }: { sessionId: string; rules: Resolved["rules"] },
  { seconds, fit, format }: { seconds: number; fit: StillParameters["fit"]; format: StillFormat },
): Promise<ImageOrder> {
  const range = await findSessionRange(env, sessionId, seconds, seconds + MOMENT_SECONDS);
  if (range?.kind === "beyond" && range.reachedSeconds !== null && seconds > range.reachedSeconds)
    refuseTimeAhead(range.reachedSeconds);
  if (range?.kind !== "range") throw new Problem("not_ready", "the broadcast has not come to this time");
  const presentation = presentationOf(await broadcastFacts(env, ctx, sessionId, range));
  if (presentation === null) throw unknownPlayback();
  const rungs = select(presentation, selectionOf(new URLSearchParams(), rules)).videoSets.flat();
  const who = { assetId: sessionId, workspaceId: rules.workspaceId, playbackId: rules.playbackId };
  const order = stillOrder(who, rungs, { seconds, fit, format }, range);
  if (order === null) throw new Problem("playback_not_found", "there is no picture at this time");
  return order;
}

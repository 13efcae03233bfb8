import { type AssetRecord, findAsset } from "../../library/assets/index.ts";
import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { Problem } from "../../platform/http/problems.ts";
import type { ClipRequest } from "./clips-request.ts";
import { findClip } from "./find-clip.ts";
import { CLIPS_PER_HOUR, saveClip } from "./save-clip.ts";
import { findOwnPlayable } from "../streams/playback.ts";

/**
 * Creates a clip from a time range of a stream, for the stream's owner. Null when there is no such stream.
 *
 * @throws {Problem} not_ready, validation_failed, media_not_found, clip_limit_reached, unavailable
 */
export async function createClip(
  env: Env,
  key: { workspaceId: string; streamId: string },
  request: ClipRequest,
  publicUrl: string,
): Promise<AssetRecord | null> {
  const playable = await findOwnPlayable(env.DB, key);
  if (playable === null) return null;
  if (request.access === "public" && playable.mediaPolicy === "private") {
    const fields = [{ field: "accessPolicy", message: "must not be wider than the stream's mediaPolicy" }];
    throw new Problem("validation_failed", "the clip is not valid", { fields });
  }
  const found = await findClip(env, playable, request, "startTime");
  const db = openDatabase(env.DB);
  const isGone = "gone" in found;
  const outcome = isGone ? "known" : await saveClip(env, key.streamId, found, { publicUrl, by: "owner" });
  if (outcome === "limit")
    throw new Problem("clip_limit_reached", `a stream has at most ${CLIPS_PER_HOUR} new clips an hour`, {
      retryAfterSeconds: 60,
    });
  const media = isGone ? found.gone : found;
  const record = media && (await findAsset(db, key.workspaceId, media.mediaId));
  if (record === null)
    throw new Problem("media_not_found", "this clip, or the recording it would be cut from, was deleted");
  return record;
}

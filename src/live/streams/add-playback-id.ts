import type { Committed } from "../../events/webhooks/index.ts";
import type { Env } from "../../platform/env.ts";
import { insertPlaybackIdIf, type PlaybackId, toRestrictions } from "../../tenancy/access/index.ts";
import { Problem } from "../../platform/http/problems.ts";
import { changeStream } from "./change-stream.ts";
import type { CreatePlaybackId } from "./schemas.ts";
import { streamEvent } from "./stream-event.ts";

/** The list of them is not paged, and events contain all of them. */
const PLAYBACK_IDS_PER_STREAM = 20;

/**
 * Adds a playback ID to a stream, with `video.live_stream.updated`. Null when there is no such stream.
 *
 * @returns `isFirstPublic`: it is public and no other one of the stream is
 * @throws {Problem} playback_id_limit_reached; validation_failed for a public one of a stream with DRM, and for `drm` of one without
 */
export async function addPlaybackId(
  env: Env,
  key: { workspaceId: string; streamId: string },
  { accessPolicy = "public", accessRestrictions, resolution }: CreatePlaybackId,
  now: Date,
): Promise<{ playbackId: PlaybackId; isFirstPublic: boolean; committed: Committed } | null> {
  const { workspaceId, streamId: targetId } = key;
  const id = crypto.randomUUID();
  const changed = await changeStream(env, key, (seen, db, still) => {
    if (seen.playbackIds.length >= PLAYBACK_IDS_PER_STREAM)
      throw new Problem("playback_id_limit_reached", `a stream has at most ${PLAYBACK_IDS_PER_STREAM} playback IDs`);
    const { keySystems } = seen.stream;
    if (keySystems !== null && accessPolicy === "public")
      throw invalidPolicy("must be `private` or `drm` for a stream with a DRM configuration");
    if (keySystems === null && accessPolicy === "drm")
      throw invalidPolicy("`drm` needs a stream that was created with `inputMediaSettings.drmConfigurationId`");
    const playbackId: PlaybackId = {
      id,
      kind: "stream",
      targetId,
      workspaceId,
      accessPolicy: keySystems === null ? accessPolicy : "drm",
      accessRestrictions: toRestrictions(accessRestrictions),
      resolution: resolution ?? null,
      keySystems,
      createdAt: now,
    };
    const isFirstPublic = accessPolicy === "public" && seen.playbackIds.every((one) => one.accessPolicy !== "public");
    return {
      playbackId,
      isFirstPublic,
      statements: [insertPlaybackIdIf(db, playbackId, still)],
      event: streamEvent(
        "video.live_stream.updated",
        { ...seen, playbackIds: [...seen.playbackIds, playbackId] },
        { id: crypto.randomUUID(), atMs: now.getTime() },
      ),
    };
  });
  if (changed === null) return null;
  const { playbackId, isFirstPublic } = changed.plan;
  return { playbackId, isFirstPublic, committed: changed.committed };
}

function invalidPolicy(hint: string): Problem {
  const fields = [{ field: "accessPolicy", message: "is invalid", hint }];
  return new Problem("validation_failed", "validation failed", { fields });
}

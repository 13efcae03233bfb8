import type { Env } from "../../platform/env.ts";
import { success } from "../../platform/http/answers.ts";
import type { CreateContext } from "../../platform/http/idempotency.ts";
import { insertPlaybackIdIf, type PlaybackId, toRestrictions } from "../../tenancy/access/index.ts";
import { orNotFound, Problem } from "../../platform/http/problems.ts";
import { changeStream } from "./change-stream.ts";
import { findStream } from "./repository.ts";
import type { CreateLivePlaybackId } from "./schemas.ts";
import { streamEvent } from "./stream-event.ts";
import { toPlaybackId } from "./to-stream.ts";

/** The list of them is not paged, and events contain all of them. */
const PLAYBACK_IDS_PER_STREAM = 20;

/**
 * Adds a playback ID to a stream, with `video.live_stream.updated`.
 *
 * @throws {Problem} stream_not_found; playback_id_limit_reached; validation_failed for a public one of a stream with DRM, and for `drm` of one
 *   without
 */
export async function addPlaybackId(
  streamId: string,
  { accessPolicy = "public", accessRestrictions, resolution }: CreateLivePlaybackId,
  { env, workspaceId, now, after, keep }: CreateContext,
) {
  const id = crypto.randomUUID();
  const changed = await changeStream(env, { workspaceId, streamId }, async (seen, db, still) => {
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
      targetId: streamId,
      workspaceId,
      accessPolicy: keySystems === null ? accessPolicy : "drm",
      accessRestrictions: toRestrictions(accessRestrictions),
      resolution: resolution ?? null,
      keySystems,
      createdAt: now,
    };
    const created = { id, answer: success(toPlaybackId(playbackId)) };
    return {
      created,
      statements: [insertPlaybackIdIf(db, playbackId, still), ...(await keep(created, still))],
      event: streamEvent(
        "video.live_stream.updated",
        { ...seen, playbackIds: [...seen.playbackIds, playbackId] },
        { id: crypto.randomUUID(), atMs: now.getTime() },
      ),
    };
  });
  const { plan, committed } = orNotFound(changed, "stream_not_found");
  after(committed.wake());
  return plan.created;
}

/** Whether a playback ID is the only one of its stream with which everybody may watch. */
export async function isOnlyPublic(
  env: Env,
  key: { workspaceId: string; streamId: string },
  id: string,
): Promise<boolean> {
  const open = (await findStream(env, key.workspaceId, key.streamId))?.playbackIds.filter(
    ({ accessPolicy }) => accessPolicy === "public",
  );
  return open?.length === 1 && open[0]?.id === id;
}

function invalidPolicy(hint: string): Problem {
  const fields = [{ field: "accessPolicy", message: "is invalid", hint }];
  return new Problem("validation_failed", "validation failed", { fields });
}

import type { Committed } from "../../events/webhooks/index.ts";
import type { Env } from "../../platform/env.ts";
import { insertPlaybackIdIf, type PlaybackId, UNRESTRICTED } from "../../tenancy/access/index.ts";
import { Problem } from "../../platform/http/problems.ts";
import { changeStream } from "./change-stream.ts";
import { streamEvent } from "./stream-event.ts";

/**
 * Adds a playback ID to a stream, with `video.live_stream.updated`. Null when there is no such stream.
 *
 * @returns `isFirstPublic`: it is public and no other one of the stream is
 * @throws {Problem} validation_failed for a public one of a stream with DRM
 */
export async function addPlaybackId(
  env: Env,
  key: { workspaceId: string; streamId: string },
  accessPolicy: "public" | "private",
  now: Date,
): Promise<{ playbackId: PlaybackId; isFirstPublic: boolean; committed: Committed } | null> {
  const { workspaceId, streamId: targetId } = key;
  const id = crypto.randomUUID();
  const changed = await changeStream(env, key, (seen, db, still) => {
    const { keySystems } = seen.stream;
    if (keySystems !== null && accessPolicy !== "private") throw clearPlayback();
    const playbackId: PlaybackId = {
      id,
      kind: "stream",
      targetId,
      workspaceId,
      accessPolicy: keySystems === null ? accessPolicy : "drm",
      ...UNRESTRICTED,
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

function clearPlayback(): Problem {
  const hint = "must be `private` for a stream with a DRM configuration";
  const fields = [{ field: "accessPolicy", message: "is invalid", hint }];
  return new Problem("validation_failed", "validation failed", { fields });
}

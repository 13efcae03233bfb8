import type { Committed } from "../../events/webhooks/index.ts";
import type { Env } from "../../platform/env.ts";
import { insertPlaybackIdIf, type StreamPlaybackId, UNRESTRICTED } from "../../tenancy/access/index.ts";
import { changeStream } from "./change-stream.ts";
import { streamEvent } from "./stream-event.ts";

/** Adds a playback ID to a stream, with `video.live_stream.updated`. Null when there is no such stream. */
export async function addPlaybackId(
  env: Env,
  key: { workspaceId: string; streamId: string },
  accessPolicy: StreamPlaybackId["accessPolicy"],
  now: Date,
): Promise<{ playbackId: StreamPlaybackId; committed: Committed } | null> {
  const { workspaceId, streamId: targetId } = key;
  const id = crypto.randomUUID();
  const playbackId: StreamPlaybackId = {
    id,
    kind: "stream",
    targetId,
    workspaceId,
    accessPolicy,
    ...UNRESTRICTED,
    createdAt: now,
  };
  const changed = await changeStream(env, key, (seen, db, still) => ({
    statements: [insertPlaybackIdIf(db, playbackId, still)],
    event: streamEvent(
      "video.live_stream.updated",
      { ...seen, playbackIds: [...seen.playbackIds, playbackId] },
      { id: crypto.randomUUID(), atMs: now.getTime() },
    ),
  }));
  return changed && { playbackId, committed: changed.committed };
}

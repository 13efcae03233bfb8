import type { Committed } from "../../events/webhooks/index.ts";
import type { Env } from "../../platform/env.ts";
import { deletePlaybackIdIf } from "../../tenancy/access/index.ts";
import { changeStream } from "./change-stream.ts";
import { streamEvent } from "./stream-event.ts";

/** Removes a playback ID from a stream, with `video.live_stream.updated`. Null when there is none. */
export async function removePlaybackId(
  env: Env,
  key: { workspaceId: string; streamId: string },
  playbackId: string,
  now: Date,
): Promise<Committed | null> {
  const changed = await changeStream(env, key, (seen, db, still) => {
    const playbackIds = seen.playbackIds.filter(({ id }) => id !== playbackId);
    if (playbackIds.length === seen.playbackIds.length) return null;
    return {
      statements: [deletePlaybackIdIf(db, playbackId, still)],
      event: streamEvent(
        "video.live_stream.updated",
        { ...seen, playbackIds },
        { id: crypto.randomUUID(), atMs: now.getTime() },
      ),
    };
  });
  return changed?.committed ?? null;
}

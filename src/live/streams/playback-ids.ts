import { and, eq, sql } from "drizzle-orm";
import type { Env } from "../../platform/env.ts";
import type { Committed } from "../../events/webhooks/index.ts";
import { changeStream } from "./change-stream.ts";
import { streamEvent } from "./stream-event.ts";
import { playbackIds as table, type StreamPlaybackId } from "../../tenancy/access/index.ts";

interface Key {
  workspaceId: string;
  streamId: string;
}
const nextEvent = (now: Date) => ({ id: crypto.randomUUID(), atMs: now.getTime() });

/** Adds a playback ID to a stream, with `video.live_stream.updated`. Null when there is no such stream. */
export async function addPlaybackId(
  env: Env,
  key: Key,
  accessPolicy: StreamPlaybackId["accessPolicy"],
  now: Date,
): Promise<{ playbackId: StreamPlaybackId; committed: Committed } | null> {
  const { workspaceId, streamId: targetId } = key;
  const id = crypto.randomUUID();
  const playbackId: StreamPlaybackId = { id, kind: "stream", targetId, workspaceId, accessPolicy, createdAt: now };
  const changed = await changeStream(env, key, (seen, db, still) => ({
    statements: [
      db.run(sql`
        INSERT INTO ${table} (id, kind, target_id, workspace_id, access_policy, created_at)
        SELECT ${id}, 'stream', ${targetId}, ${workspaceId}, ${accessPolicy}, ${now.getTime()} WHERE ${still}`),
    ],
    event: streamEvent(
      "video.live_stream.updated",
      { ...seen, playbackIds: [...seen.playbackIds, playbackId] },
      nextEvent(now),
    ),
  }));
  return changed && { playbackId, committed: changed.committed };
}

/** Removes a playback ID from a stream, with `video.live_stream.updated`. Null when there is none. */
export async function removePlaybackId(env: Env, key: Key, playbackId: string, now: Date): Promise<Committed | null> {
  const changed = await changeStream(env, key, (seen, db, still) => {
    const playbackIds = seen.playbackIds.filter(({ id }) => id !== playbackId);
    if (playbackIds.length === seen.playbackIds.length) return null;
    const isIt = eq(table.id, playbackId);
    return {
      statements: [db.delete(table).where(and(isIt, still))],
      event: streamEvent("video.live_stream.updated", { ...seen, playbackIds }, nextEvent(now)),
    };
  });
  return changed?.committed ?? null;
}

import type { Committed } from "../../events/webhooks/index.ts";
import type { Env } from "../../platform/env.ts";
import { deletePlaybackIdIf } from "../../tenancy/access/index.ts";
import { changeRecord } from "../assets/change-record.ts";
import { playbackIdDeleted } from "../assets/media-event.ts";

/** Removes a playback ID from a media, with `video.playback_id.deleted` and `video.media.updated`. Null when there is none. */
export async function deletePlaybackId(
  env: Env,
  key: { workspaceId: string; assetId: string },
  playbackId: string,
  now: Date,
): Promise<Committed | null> {
  const changed = await changeRecord(env, key, now, (seen, db, still) => {
    const playbackIds = seen.playbackIds.filter(({ id }) => id !== playbackId);
    if (playbackIds.length === seen.playbackIds.length) return null;
    return {
      statements: [deletePlaybackIdIf(db, playbackId, still)],
      playbackIds,
      eventsBefore: (record, when) => [playbackIdDeleted(playbackId, record, when())],
    };
  });
  return changed === null || changed.change === null ? null : changed.committed;
}

import type { Committed } from "../../events/webhooks/index.ts";
import type { Env } from "../../platform/env.ts";
import { log } from "../../platform/log.ts";
import { changeRecord } from "../assets/change-record.ts";
import { type AddedTrack, deleteTrackIf } from "./store/repository.ts";
import { deleteVersionsIf } from "./store/versions.ts";
import { trackEvent } from "./store/to-track.ts";
import type { Missing } from "./update-track.ts";

/** Removes an added track, with `video.media.track.deleted` and `video.media.updated`. Its machine has to be told afterwards. */
export async function deleteTrack(
  env: Env,
  key: { workspaceId: string; assetId: string; trackId: string },
  now: Date,
): Promise<{ track: AddedTrack; playbackIds: string[]; committed: Committed } | Missing> {
  const changed = await changeRecord(env, key, now, ({ addedTracks }, db, still) => {
    const track = addedTracks.find(({ id }) => id === key.trackId);
    if (track === undefined) return null;
    return {
      track,
      statements: [deleteVersionsIf(db, track.id, still), deleteTrackIf(db, track.id, still)],
      addedTracks: addedTracks.filter((one) => one !== track),
      eventsBefore: ({ asset }, when) => [trackEvent("deleted", track, asset.workspaceId, when())],
    };
  });
  if (changed === null) return { missing: "media" };
  const { record, change, committed } = changed;
  if (change === null) return { missing: "track" };
  log("track.deleted", { assetId: key.assetId, trackId: key.trackId });
  return { track: change.track, playbackIds: record.playbackIds.map(({ id }) => id), committed };
}

import type { Committed } from "../../events/webhooks/index.ts";
import type { Env } from "../../platform/env.ts";
import { Problem } from "../../platform/http/problems.ts";
import { log } from "../../platform/log.ts";
import { changeRecord } from "../assets/change-record.ts";
import { newTrack, requireOwnName, type TrackRequest, TRACKS_PER_MEDIA } from "./store/new-track.ts";
import { type AddedTrack, insertTrackIf } from "./store/repository.ts";
import { trackEvent } from "./store/to-track.ts";

/**
 * Adds a track to a media, with `video.media.track.created`. Its machine has to be told afterwards.
 *
 * @returns null when there is no such media
 * @throws {Problem} duplicate_language_name, track_limit_reached
 */
export async function addTrack(
  env: Env,
  key: { workspaceId: string; assetId: string },
  request: TrackRequest,
  now: Date,
): Promise<{ track: AddedTrack; committed: Committed } | null> {
  const track = newTrack(request, key.assetId, now);
  const changed = await changeRecord(env, key, now, ({ addedTracks, tracks }, db, still) => {
    requireOwnName(track, [...tracks, ...addedTracks.filter(({ status }) => status !== "failed")]);
    if (addedTracks.length >= TRACKS_PER_MEDIA)
      throw new Problem("track_limit_reached", `at most ${TRACKS_PER_MEDIA} tracks can be added to a media`);
    return {
      statements: [insertTrackIf(db, track, still)],
      addedTracks: [...addedTracks, track],
      event: (_, when) => trackEvent("created", track, key.workspaceId, when),
    };
  });
  if (changed !== null) log("track.added", { assetId: key.assetId, trackId: track.id, kind: track.kind });
  return changed && { track, committed: changed.committed };
}

import { success } from "../../platform/http/answers.ts";
import type { CreateContext } from "../../platform/http/idempotency.ts";
import { orNotFound, Problem } from "../../platform/http/problems.ts";
import { log } from "../../platform/log.ts";
import { changeRecord } from "../assets/change-record.ts";
import { newTrack, requireOwnName, type TrackRequest, TRACKS_PER_MEDIA } from "./store/new-track.ts";
import { startTracks } from "../assets/start-tracks.ts";
import { type AddedTrack, insertTrackIf } from "./store/repository.ts";
import { trackEvent } from "./store/to-track.ts";
import { toTrackRecord } from "./to-track-record.ts";

/**
 * Adds a track to a media, with `video.media.track.created`, and then tells its machine.
 *
 * @param check of the tracks that the media has, in the commit that adds it
 * @throws {Problem} media_not_found, duplicate_language_name, track_limit_reached
 */
export async function addTrack(
  assetId: string,
  request: TrackRequest,
  { env, workspaceId, now, after, keep }: CreateContext,
  check: (tracks: readonly AddedTrack[]) => void = () => {},
) {
  const key = { workspaceId, assetId };
  const track = newTrack(request, assetId, now);
  const created = { id: track.id, answer: success(toTrackRecord(track)) };
  const changed = await changeRecord(env, key, now, async ({ addedTracks, tracks }, db, still) => {
    check(addedTracks);
    requireOwnName(track, [...tracks, ...addedTracks.filter(({ status }) => status !== "failed")]);
    if (addedTracks.length >= TRACKS_PER_MEDIA)
      throw new Problem("track_limit_reached", `at most ${TRACKS_PER_MEDIA} tracks can be added to a media`);
    return {
      statements: [insertTrackIf(db, track, still), ...(await keep(created, still))],
      addedTracks: [...addedTracks, track],
      event: (_, when) => trackEvent("created", track, workspaceId, when),
    };
  });
  const { committed } = orNotFound(changed, "media_not_found");
  after(committed.wake());
  after(startTracks(env, [track]));
  log("track.added", { assetId, trackId: track.id, kind: track.kind });
  return created;
}

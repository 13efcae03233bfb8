import type { Committed } from "../../events/webhooks/index.ts";
import type { Env } from "../../platform/env.ts";
import { changeRecord } from "../assets/change-record.ts";
import { requireOwnName } from "./store/new-track.ts";
import { type AddedTrack, relabelTrackIf } from "./store/repository.ts";
import { trackEvent } from "./store/to-track.ts";
import type { UpdateTrack } from "./schemas.ts";

/** `media`: there is no such media; `track`: no such track has been added to it. */
export type Missing = { missing: "media" | "track" };

/**
 * Changes the labels of an added track, with `video.media.track.updated`, then `.track.ready` if it is available, and `video.media.updated`.
 *
 * @throws {Problem} duplicate_language_name
 */
export async function updateTrack(
  env: Env,
  key: { workspaceId: string; assetId: string; trackId: string },
  { languageCode, languageName, title }: UpdateTrack,
  now: Date,
): Promise<{ track: AddedTrack; committed: Committed } | Missing> {
  const changed = await changeRecord(env, key, now, ({ addedTracks, tracks }, db, still) => {
    const seen = addedTracks.find(({ id }) => id === key.trackId);
    if (seen === undefined) return null;
    const others = addedTracks.filter((other) => other !== seen && other.status !== "failed");
    requireOwnName({ ...seen, languageName }, [...tracks, ...others]);
    const labels = { languageCode, languageName, title: title === undefined ? seen.title : title.trim() || null };
    const track = { ...seen, ...labels };
    return {
      track,
      statements: [relabelTrackIf(db, track.id, labels, still)],
      addedTracks: addedTracks.map((one) => (one === seen ? track : one)),
      eventsBefore: ({ asset }, when) => [
        trackEvent("updated", track, asset.workspaceId, when()),
        ...(track.status === "available" ? [trackEvent("ready", track, asset.workspaceId, when())] : []),
      ],
    };
  });
  if (changed === null) return { missing: "media" };
  const { change, committed } = changed;
  return change === null ? { missing: "track" } : { track: change.track, committed };
}

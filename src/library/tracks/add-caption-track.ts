import type { Committed } from "../../events/webhooks/index.ts";
import type { Captions } from "../../media/captions/read-captions.ts";
import type { Env } from "../../platform/env.ts";
import { changeRecord } from "../assets/change-record.ts";
import { newTrack, type TrackRequest } from "./store/new-track.ts";
import { insertTrackIf, type AddedTrack, endTrackIf, endedTrack } from "./store/repository.ts";
import { storeCaptions } from "./store/store-captions.ts";
import type { GeneratedFacts } from "./store/tables.ts";
import { trackEvent } from "./store/to-track.ts";

export type TrackLabels = Omit<TrackRequest, "kind" | "url" | "replacesSound" | "followsEdit">;

/**
 * Adds a subtitle track out of captions that the platform has found in a source, or has made: it is available at once, with
 * `video.media.track.created`, `.ready` and `video.media.updated`. Repeatable: a track with this id is not added twice. A name that
 * another track has is allowed, because players number equal names.
 *
 * @param trackId chosen by the caller, for example derived from the asset and a stream
 * @returns null when there is no such media, or it has the track
 * @throws {CaptionsError} captions_too_dense
 */
export async function addCaptionTrack(
  env: Env,
  { assetId, trackId }: { assetId: string; trackId: string },
  labels: TrackLabels,
  { generated, ...captions }: Pick<Captions, "cues" | "skipped"> & { generated?: GeneratedFacts },
  now: Date,
): Promise<{ track: AddedTrack; committed: Committed } | null> {
  const facts = await storeCaptions(env, { assetId, trackId }, captions);
  const preparing = { ...newTrack({ ...labels, kind: "subtitle", url: null }, assetId, now), id: trackId };
  const end = {
    status: "available",
    captions: { ...facts, ...(generated === undefined ? {} : { generated }) },
  } as const;
  const track: AddedTrack = { ...preparing, ...endedTrack(end) };
  const changed = await changeRecord(env, { workspaceId: null, assetId }, now, ({ addedTracks }, db, still) => {
    if (addedTracks.some(({ id }) => id === trackId)) return null;
    return {
      statements: [insertTrackIf(db, preparing, still), endTrackIf(db, trackId, end, still)],
      addedTracks: [...addedTracks, track],
      eventsBefore: ({ asset }, when) => [
        trackEvent("created", preparing, asset.workspaceId, when()),
        trackEvent("ready", track, asset.workspaceId, when()),
      ],
    };
  });
  return changed === null || changed.change === null ? null : { track, committed: changed.committed };
}

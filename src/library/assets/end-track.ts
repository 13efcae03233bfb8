import type { Env } from "../../platform/env.ts";
import { type AddedTrack, endTrackIf, endedTrack, type TrackEnd } from "../tracks/store/repository.ts";
import { generatedEvent, trackEvent } from "../tracks/store/to-track.ts";
import { changeRecord } from "./change-record.ts";
import { transformedEvent } from "./media-event.ts";
import { textUrl } from "./text-url.ts";

/**
 * Ends the preparation of an added track, with `video.media.track.ready` or `.failed`, the events of sound that replaces that of the source, and
 * then `video.media.updated`, in one commit.
 * Repeatable. Without effect on a deleted track.
 */
export async function endTrack(env: Env, assetId: string, trackId: string, end: TrackEnd, now: Date): Promise<void> {
  const changed = await changeRecord(env, { workspaceId: null, assetId }, now, (seen, db, still) => {
    const track = seen.addedTracks.find(({ id, status }) => id === trackId && status === "preparing");
    if (track === undefined) return null;
    const ended = { ...track, ...endedTrack(end) };
    return {
      statements: [endTrackIf(db, trackId, end, still)],
      addedTracks: seen.addedTracks.map((one) => (one === track ? ended : one)),
      eventsBefore: (record, when) => [
        trackEvent(end.status === "available" ? "ready" : "failed", ended, record.asset.workspaceId, when()),
        ...(ended.generated && ended.status === "available"
          ? [generatedEvent(ended, { workspaceId: record.asset.workspaceId, url: textUrl(record, trackId) }, when())]
          : []),
        ...soundEventsOf(ended).map((type) => transformedEvent(type, record, when())),
      ],
    };
  });
  await changed?.committed.wake();
}

/** For sound that has replaced the source's own. */
const soundEventsOf = ({ status, replacesSound, imposed }: AddedTrack) =>
  status !== "available" || !replacesSound
    ? []
    : [
        "video.media.audio_swap.ready" as const,
        ...(imposed === null ? [] : ["video.media.impose_track.ready" as const]),
      ];

import type { z } from "@hono/zod-openapi";
import type { NewEvent } from "../../../events/index.ts";
import type { AddedTrack as TrackOfEvents } from "../../../records/added-track.ts";
import type { TrackRecord } from "../../../records/media.ts";
import { recordOf } from "../../../platform/http/record.ts";
import type { AddedTrack } from "./repository.ts";

/** As the media record lists it. */
export const toAddedTrack = (track: AddedTrack): z.infer<typeof TrackRecord> =>
  recordOf<Omit<z.infer<typeof TrackRecord>, "width" | "height" | "frameRate">>({
    id: track.id,
    type: track.kind,
    languageCode: track.languageCode,
    languageName: track.languageName,
    title: track.title,
    status: track.status,
    default: track.isDefault ? true : null,
    forced: track.isForced ? true : null,
    closedCaptions: track.isClosedCaptions ? true : null,
    captions: track.captions && {
      ...(track.captions.format === undefined ? {} : { format: track.captions.format }),
      ...(track.captions.encoding === undefined ? {} : { encoding: track.captions.encoding }),
      cueCount: track.captions.cueCount,
      skippedCues: track.captions.skippedCues,
    },
    error: trackError(track),
  });

/** Why a track has failed; null = it has not. */
export const trackError = ({ errorCode, errorMessage, errorFault }: AddedTrack) =>
  errorCode === null
    ? null
    : { code: errorCode, message: errorMessage ?? "", fault: errorFault ?? ("service" as const) };

type TrackChange = "created" | "ready" | "failed" | "updated" | "deleted";

/** Captions that were made of the sound are available. @param url of their WebVTT; null = the media has no playback ID */
export const generatedEvent = (
  track: AddedTrack,
  { workspaceId, url }: { workspaceId: string; url: string | null },
  when: { id: string; atMs: number },
): NewEvent => ({ ...trackEvent("ready", { ...track, url }, workspaceId, when), type: "ai.captions.ready" });

/** An event about a track (media contract, events: "For track events `data` has only the output"). */
export const trackEvent = (
  change: TrackChange,
  track: AddedTrack,
  workspaceId: string,
  { id, atMs }: { id: string; atMs: number },
): NewEvent => ({
  id,
  workspaceId,
  type: `video.media.track.${change}`,
  objectId: track.assetId,
  occurredAtMs: atMs,
  data: recordOf<z.infer<typeof TrackOfEvents>>({
    id: track.id,
    type: track.kind,
    url: track.url,
    languageCode: track.languageCode,
    languageName: track.languageName,
    title: track.title,
    status: change === "deleted" ? ("deleted" as const) : track.status,
  }),
});

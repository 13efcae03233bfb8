import type { z } from "@hono/zod-openapi";
import { AddedTrack } from "../../records/added-track.ts";
import { kindsOf } from "./kind.ts";
import { SAMPLE } from "./samples.ts";

export const sampleSubtitle = (status: z.output<typeof AddedTrack>["status"]): z.output<typeof AddedTrack> => ({
  id: SAMPLE.subtitleTrackId,
  type: "subtitle",
  url: "https://example.com/harbour.it.vtt",
  languageCode: "it",
  languageName: "Italian",
  status,
});

const inTracks = kindsOf("tracks", "media");
const track = (status: string, when: string, trackStatus: z.output<typeof AddedTrack>["status"]) =>
  inTracks({ isSent: true, status, when, data: AddedTrack, example: sampleSubtitle(trackStatus) });

export const trackKinds = {
  "video.media.track.created": track("created", "An audio or subtitle track was added to a media.", "preparing"),
  "video.media.track.ready": track("ready", "An added track is offered to players.", "available"),
  "video.media.track.failed": track("failed", "An added track cannot be used.", "failed"),
  "video.media.track.updated": track("updated", "Language or title of an added track was changed.", "available"),
  "video.media.track.deleted": track("deleted", "An added track was removed.", "deleted"),
};

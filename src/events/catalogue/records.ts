import { z } from "@hono/zod-openapi";
import { MediaRecord } from "../../records/media.ts";
import type { PlaybackIdRecord } from "../../records/playback-id.ts";
import { SAMPLE, SAMPLE_CREATED_AT, SAMPLE_UPDATED_AT } from "./samples.ts";

/** `HH:MM:SS`, a position in the media. */
export const Position = z.string().regex(/^\d{2,}:[0-5]\d:[0-5]\d$/);

/**
 * The media as the API returns it at the time of the event, without its progress. Strict, like the data of every kind: sending an
 * undeclared field is a bug.
 */
export const Media = z.strictObject(MediaRecord.shape).omit({ progress: true }).openapi("EventMedia");

/** Id and policy only, as in live streams and in the settings of uploads. */
export const PlaybackPolicy = z.strictObject({ id: z.string(), accessPolicy: z.enum(["public", "private", "drm"]) });

const openRules = () => ({ defaultPolicy: "allow" as const, allow: [], deny: [] });
export const samplePlaybackId = (): z.output<typeof PlaybackIdRecord> => ({
  id: SAMPLE.playbackId,
  accessPolicy: "public",
  accessRestrictions: { domains: openRules(), userAgents: openRules() },
});

export const createdMedia = (): z.output<typeof Media> => ({
  id: SAMPLE.mediaId,
  workspaceId: SAMPLE.workspaceId,
  title: "Harbour at dawn",
  metadata: { campaign: "spring" },
  mediaQuality: "standard",
  maxResolution: "1080p",
  status: "Created",
  sourceAccess: false,
  playbackIds: [samplePlaybackId()],
  tracks: [],
  generatedSubtitles: [],
  isAudioOnly: false,
  subtitleAvailable: false,
  createdAt: SAMPLE_CREATED_AT,
  updatedAt: SAMPLE_CREATED_AT,
});

const sampleTracks = (): z.output<typeof Media>["tracks"] => [
  {
    id: SAMPLE.videoTrackId,
    type: "video",
    width: 1920,
    height: 1080,
    frameRate: "25/1",
    status: "available",
  },
  {
    id: SAMPLE.audioTrackId,
    type: "audio",
    languageCode: "und",
    languageName: "default",
    status: "available",
  },
];

export const readyMedia = (): z.output<typeof Media> => ({
  ...createdMedia(),
  sourceResolution: "1080p",
  status: "Ready",
  tracks: sampleTracks(),
  duration: "00:01:10",
  aspectRatio: "16:9",
  frameRate: "25/1",
  updatedAt: SAMPLE_UPDATED_AT,
});

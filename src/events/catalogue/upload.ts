import { z } from "@hono/zod-openapi";
import { Media, Metadata, PlaybackId, samplePlaybackId } from "./records.ts";
import { SAMPLE } from "./samples.ts";

const { id, ...policy } = PlaybackId.shape;

/** The settings of the request, which become the media's. Until the media exists, its playback IDs may lack an id. */
export const PushMediaSettings = z.strictObject({
  playbackIds: z.array(z.strictObject({ id: id.optional(), ...policy })),
  title: z.string().optional(),
  creatorId: z.string().optional(),
  metadata: Metadata,
  mediaQuality: Media.shape.mediaQuality,
  maxResolution: Media.shape.maxResolution.optional(),
  sourceAccess: z.boolean(),
  optimizeAudio: z.boolean(),
});

export const Upload = z.strictObject({
  uploadId: z.uuid(),
  trial: z.boolean(),
  status: z.enum(["waiting", "cancelled"]),
  url: z.url(),
  timeout: z.int().positive().openapi({ description: "Seconds for which `url` accepts data" }),
  corsOrigin: z.string(),
  pushMediaSettings: PushMediaSettings,
});

export const sampleUpload = (status: "waiting" | "cancelled"): z.output<typeof Upload> => ({
  uploadId: SAMPLE.uploadId,
  trial: false,
  status,
  url: `https://sluice.example.com/uploads/${SAMPLE.workspaceId}/${SAMPLE.uploadId}?expires=1779376215&cors_origin=https%3A%2F%2Fapp.example.com&signature=made-up&upload_id=${SAMPLE.uploadId.replaceAll("-", "")}`,
  timeout: 14_400,
  corsOrigin: "https://app.example.com",
  pushMediaSettings: {
    playbackIds: [samplePlaybackId()],
    metadata: { campaign: "spring" },
    mediaQuality: "standard",
    maxResolution: "1080p",
    sourceAccess: false,
    optimizeAudio: false,
  },
});

import { z } from "@hono/zod-openapi";
import { PushMediaSettings } from "../../records/push-media-settings.ts";
import { samplePlaybackId } from "./records.ts";
import { SAMPLE } from "./samples.ts";

export const Upload = z.strictObject({
  uploadId: z.uuid(),
  trial: z.boolean(),
  status: z.enum(["waiting", "cancelled"]),
  url: z.url().openapi({
    description: "Without a webhook's `events.secrets` its `signature` is `redacted`, and it takes no bytes",
  }),
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

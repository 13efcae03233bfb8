import { z } from "@hono/zod-openapi";

const Rules = z.object({
  defaultPolicy: z.enum(["allow", "deny"]),
  allow: z.array(z.string()),
  deny: z.array(z.string()),
});
export const PlaybackIdRecord = z
  .object({
    id: z.uuid(),
    accessPolicy: z.enum(["public", "private", "drm"]),
    accessRestrictions: z.object({ domains: Rules, userAgents: Rules }),
    resolution: z
      .enum(["480p", "720p", "1080p", "1440p", "2160p"])
      .optional()
      .openapi({ description: "The largest rung that it offers; absent = all" }),
  })
  .openapi("PlaybackId");

/** A playback ID of a stream. The contract has no rules here, so that those of an ID without any are absent. */
export const LivePlaybackIdRecord = z
  .object({
    id: z.uuid(),
    accessPolicy: z
      .enum(["public", "private"])
      .openapi({ description: "Of a stream with a DRM configuration: `private`" }),
    accessRestrictions: PlaybackIdRecord.shape.accessRestrictions
      .optional()
      .openapi({ description: "Absent = everybody may play it from anywhere" }),
    resolution: PlaybackIdRecord.shape.resolution.openapi({
      description: "The largest rung that the playback ID offers; absent = all",
    }),
  })
  .openapi("LivePlaybackId");

import { z } from "@hono/zod-openapi";
import { MAX_CLIP_POSITION_SECONDS } from "./clips-request.ts";

/** The request for a clip of a stream (media contract, Clips). */
export const CreateClip = z
  .strictObject({
    startTime: z.number().min(0).max(MAX_CLIP_POSITION_SECONDS).openapi({
      description: "Seconds from the beginning of the broadcast",
      example: 10,
    }),
    endTime: z.number().min(0).max(MAX_CLIP_POSITION_SECONDS).openapi({
      description: "After `startTime`, at most 20 minutes: a longer clip is cut",
      example: 40,
    }),
    accessPolicy: z.enum(["public", "private"]).optional().openapi({
      description: "Of the clip; by default the stream's `mediaPolicy`, and never wider than that",
    }),
  })
  .refine(({ startTime, endTime }) => startTime < endTime, { path: ["endTime"], message: "must be after startTime" })
  .openapi("CreateLiveClip");

import { z } from "@hono/zod-openapi";
import { kindsOf } from "./kind.ts";
import { HexId, Timestamp } from "../../records/fields.ts";
import { SAMPLE } from "./samples.ts";

const view = kindsOf("playback", "view");

/** Field names are those of `GET /v1/data/viewlist`. */
const View = z.strictObject({
  viewId: z.uuid(),
  playbackId: z.uuid(),
  mediaId: z.uuid().optional().openapi({ description: "On demand only" }),
  streamId: HexId.optional().openapi({ description: "Live only" }),
  videoTitle: z.string().optional(),
  viewerId: z.string().optional(),
  operatingSystem: z.string().optional(),
  application: z.string().optional(),
  country: z.string().optional(),
  viewStartTime: Timestamp,
  viewEndTime: Timestamp,
  viewWatchTime: z.int().nonnegative().openapi({ description: "Milliseconds" }),
});
const sampleView = (viewWatchTime: number): z.output<typeof View> => ({
  viewId: SAMPLE.viewId,
  playbackId: SAMPLE.playbackId,
  mediaId: SAMPLE.mediaId,
  videoTitle: "Harbour at dawn",
  viewerId: "viewer-42",
  operatingSystem: "Android",
  application: "Chrome",
  country: "IT",
  viewStartTime: "2026-05-20T13:04:02.150000Z",
  viewEndTime: "2026-05-20T13:05:14.907000Z",
  viewWatchTime,
});

export const playbackKinds = {
  "playback.completed": view({
    isSent: true,
    status: "completed",
    when: "A viewing session has ended without a fatal error.",
    data: z.strictObject({ ...View.shape, QoeScore: z.number().min(0).max(1).optional() }),
    example: { ...sampleView(70_040), QoeScore: 0.97 },
  }),
  "playback.errored": view({
    isSent: true,
    status: "errored",
    when: "A viewing session was ended by a fatal error.",
    data: z.strictObject({ ...View.shape, errorCode: z.string(), errorMessage: z.string() }),
    example: {
      ...sampleView(3200),
      errorCode: "PIPELINE_ERROR_DECODE",
      errorMessage: "The video decoder failed on this device.",
    },
  }),
};

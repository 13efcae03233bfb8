import { z } from "@hono/zod-openapi";
import { envelopeOf, EventEnvelope } from "../../events/index.ts";
import { RequestLogRecord, toRequestLog } from "../../events/request-log/index.ts";
import type { ActivityItem } from "./activity.ts";

const RequestItem = RequestLogRecord.extend({ kind: z.literal("request") }).openapi("RequestActivity");
const EventItem = z
  .object({
    kind: z.literal("event"),
    at: z.iso.datetime({ precision: 9 }).openapi({ description: "When it happened; the event's `createdAt`" }),
    type: z.string().openapi({ description: "Its name with `naming: service`", example: "asset.ready" }),
    videoType: z.string().openapi({ description: "Its name with `naming: video`", example: "video.media.ready" }),
    event: EventEnvelope,
  })
  .openapi("EventActivity");
export const ActivityRecord = z.discriminatedUnion("kind", [RequestItem, EventItem]).openapi("Activity");

export function toActivity(item: ActivityItem): z.infer<typeof ActivityRecord> {
  if (item.kind === "request") return { kind: "request", ...toRequestLog(item.row) };
  const { createdAt, type, videoType } = item.row;
  return { kind: "event", at: createdAt, type, videoType, event: envelopeOf(item.row, "service") };
}

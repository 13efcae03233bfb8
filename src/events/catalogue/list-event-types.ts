import { z } from "@hono/zod-openapi";
import { EVENT_KINDS } from "./catalogue.ts";
import { EventEnvelope, exampleEvent } from "./envelope.ts";
import { EVENT_AREAS, EVENT_OBJECT_TYPES, type EventArea } from "./kind.ts";

export const EventTypeRecord = z
  .object({
    type: z.string().openapi({ description: "Its name with `naming: service`", example: "asset.ready" }),
    videoType: z.string().openapi({
      description: "Its name with `naming: video`; two kinds may share one",
      example: "video.media.ready",
    }),
    isSent: z.boolean().openapi({
      description:
        "Whether this release sends it. A webhook may subscribe to any kind, and gets it from the release that sends it",
    }),
    area: z.enum(EVENT_AREAS),
    objectType: z.enum(EVENT_OBJECT_TYPES),
    description: z.string(),
    example: EventEnvelope,
  })
  .openapi("EventType");

/** All kinds, or those of one area. */
export const listEventTypes = (wanted: EventArea | undefined): z.output<typeof EventTypeRecord>[] =>
  EVENT_KINDS.filter(({ area }) => wanted === undefined || area === wanted).map(
    ({ type, videoType, isSent, area, objectType, when }) => ({
      type,
      videoType,
      isSent,
      area,
      objectType,
      description: when,
      example: exampleEvent(type),
    }),
  );

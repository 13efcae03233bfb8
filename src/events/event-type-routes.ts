import { createRoute, z } from "@hono/zod-openapi";
import { dataAnswer, security, success } from "../platform/http/answers.ts";
import { problemResponses } from "../platform/http/openapi.ts";
import { newRouter } from "../platform/http/router.ts";
import { EVENT_KINDS } from "./catalogue.ts";
import { EventEnvelope, exampleEvent } from "./catalogue/envelope.ts";
import { EVENT_AREAS, EVENT_OBJECT_TYPES } from "./catalogue/kind.ts";

const EventTypeRecord = z
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

const listRoute = createRoute({
  operationId: "list-event-types",
  summary: "List the kinds of events",
  method: "get",
  path: "/v1/event-types",
  tags: ["Events"],
  security,
  request: { query: z.object({ area: z.enum(EVENT_AREAS).optional() }) },
  responses: {
    200: dataAnswer(z.array(EventTypeRecord), "All kinds, or those of one area"),
    ...problemResponses("unauthorized", "validation_failed"),
  },
});

export const eventTypeRoutes = newRouter().openapi(listRoute, (c) => {
  const { area: wanted } = c.req.valid("query");
  const kinds = EVENT_KINDS.filter(({ area }) => wanted === undefined || area === wanted);
  const data = kinds.map(({ type, videoType, isSent, area, objectType, when }) => ({
    type,
    videoType,
    isSent,
    area,
    objectType,
    description: when,
    example: exampleEvent(type),
  }));
  return c.json(success(data), 200);
});

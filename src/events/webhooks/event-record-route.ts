import { createRoute, z } from "@hono/zod-openapi";
import { openDatabase } from "../../platform/database.ts";
import { json, problemResponses } from "../../platform/http/openapi.ts";
import { Problem } from "../../platform/http/problems.ts";
import { newRouter } from "../../platform/http/router.ts";
import { envelopeOf, EventEnvelope, findEvent } from "../index.ts";
import { deliveriesOfEvent } from "./deliveries-of-event.ts";
import { EventDelivery } from "./schemas.ts";

const EventRecord = z
  .object({
    event: EventEnvelope.openapi({ description: "As it is sent with `naming: service`" }),
    type: z.string().openapi({ description: "Its name with `naming: service`", example: "asset.ready" }),
    videoType: z.string().openapi({ description: "Its name with `naming: video`", example: "video.media.ready" }),
    isTest: z.boolean().openapi({ description: "A sample sent by a test of a webhook" }),
    deliveries: z.array(EventDelivery).openapi({ description: "One for each webhook" }),
  })
  .openapi("EventRecord");

const getRoute = createRoute({
  operationId: "get-event",
  summary: "One event with its deliveries",
  method: "get",
  path: "/v1/events/{eventId}",
  tags: ["Events"],
  security: [{ basic: [] }],
  request: { params: z.object({ eventId: z.uuid().openapi({ param: { name: "eventId", in: "path" } }) }) },
  responses: {
    200: {
      description: "The event, its deliveries and their attempts",
      content: json(z.object({ success: z.literal(true), data: EventRecord })),
    },
    ...problemResponses("unauthorized", "event_not_found", "validation_failed"),
  },
});

export const eventRecordRoute = newRouter().openapi(getRoute, async (c) => {
  const db = openDatabase(c.env.DB);
  const event = await findEvent(db, c.req.valid("param").eventId.toLowerCase());
  if (event === null || event.workspaceId !== c.var.caller.workspaceId)
    throw new Problem("event_not_found", "no event has this id");
  const { type, videoType, isTest } = event;
  const deliveries = await deliveriesOfEvent(db, event.id);
  const data = { event: envelopeOf(event, "service"), type, videoType, isTest, deliveries };
  return c.json({ success: true as const, data }, 200);
});

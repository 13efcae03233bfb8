import { createRoute, z } from "@hono/zod-openapi";
import { openDatabase } from "../../platform/database.ts";
import { dataAnswer, security, success } from "../../platform/http/answers.ts";
import { problemResponses } from "../../platform/http/openapi.ts";
import { orNotFound } from "../../platform/http/problems.ts";
import { uuidParam } from "../../platform/http/requests.ts";
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
  security,
  request: { params: z.object({ eventId: uuidParam("eventId") }) },
  responses: {
    200: dataAnswer(EventRecord, "The event, its deliveries and their attempts"),
    ...problemResponses("unauthorized", "event_not_found", "validation_failed"),
  },
});

export const eventRecordRoute = newRouter().openapi(getRoute, async (c) => {
  const db = openDatabase(c.env.DB);
  const found = await findEvent(db, c.req.valid("param").eventId.toLowerCase());
  const event = orNotFound(found?.workspaceId === c.var.caller.workspaceId ? found : null, "event_not_found");
  const { type, videoType, isTest } = event;
  const deliveries = await deliveriesOfEvent(db, event.id);
  const data = { event: envelopeOf(event, "service"), type, videoType, isTest, deliveries };
  return c.json(success(data), 200);
});

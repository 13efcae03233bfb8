import { createRoute, z } from "@hono/zod-openapi";
import { dataAnswer, security, success } from "../../../platform/http/answers.ts";
import { problemResponses } from "../../../platform/http/openapi.ts";
import { orNotFound } from "../../../platform/http/problems.ts";
import { uuidParam } from "../../../platform/http/requests.ts";
import { newRouter } from "../../../platform/http/router.ts";
import { getEvent } from "./get-event.ts";
import { EventRecord } from "./schemas.ts";

const getRoute = createRoute({
  operationId: "get-event",
  summary: "One event with its deliveries",
  description: "With the deliveries to every webhook, and their attempts.",
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
  const key = { workspaceId: c.var.caller.workspaceId, eventId: c.req.valid("param").eventId.toLowerCase() };
  return c.json(success(orNotFound(await getEvent(c.env, key), "event_not_found")), 200);
});

import { createRoute, z } from "@hono/zod-openapi";
import { dataAnswer, security, success } from "../../platform/http/answers.ts";
import { problemResponses } from "../../platform/http/openapi.ts";
import { newRouter } from "../../platform/http/router.ts";
import { EVENT_AREAS } from "./kind.ts";
import { EventTypeRecord, listEventTypes } from "./list-event-types.ts";

const answer = dataAnswer(z.array(EventTypeRecord), "All kinds, or those of one area");
/** Without a kind: linters take a record with the fields `type` and `example` for a schema. The schema has examples of the fields. */
const NONE = { success: true as const, data: [] };

const listRoute = createRoute({
  operationId: "list-event-types",
  summary: "List the kinds of events",
  description: "Each with an example, and whether this release sends it.",
  method: "get",
  path: "/v1/event-types",
  tags: ["Events"],
  security,
  request: { query: z.object({ area: z.enum(EVENT_AREAS).optional() }) },
  responses: {
    200: { ...answer, content: { "application/json": { ...answer.content["application/json"], example: NONE } } },
    ...problemResponses("unauthorized", "validation_failed"),
  },
});

export const eventTypeRoutes = newRouter().openapi(listRoute, (c) =>
  c.json(success(listEventTypes(c.req.valid("query").area)), 200),
);

import { createRoute, z } from "@hono/zod-openapi";
import { cursorPageAnswer, security, successPage } from "../platform/http/answers.ts";
import { CursorQuery } from "../platform/http/cursor.ts";
import { hinted } from "../platform/http/hints/issue-hints.ts";
import { problemResponses } from "../platform/http/openapi.ts";
import { newRouter } from "../platform/http/router.ts";
import { checkTimeRange, timeRange } from "../platform/http/time-range.ts";
import { EventEnvelope } from "./catalogue/envelope.ts";
import { checkTypePattern } from "./catalogue/type-filter.ts";
import { listEventPage } from "./list-event-page.ts";

const tags = ["Events"];

const TypeFilter = z
  .string()
  .transform((pattern, context) => {
    const checked = checkTypePattern(pattern);
    if (checked.ok) return checked.types;
    context.addIssue({ code: "custom", ...hinted(checked.message, checked.hint) });
    return z.NEVER;
  })
  .openapi({
    type: "string",
    description: "A name in either naming, or a prefix of names",
    example: "video.media.*",
  });

const listRoute = createRoute({
  operationId: "list-events",
  summary: "List events",
  description: "The last 30 days, newest first, without the samples of webhook tests.",
  method: "get",
  path: "/v1/events",
  tags,
  security,
  request: {
    query: CursorQuery.extend({
      type: TypeFilter.optional(),
      objectId: z.string().min(1).max(64).optional().openapi({ description: "Id of the object, such as a media" }),
      ...timeRange("Happened"),
      naming: z
        .enum(["service", "video"])
        .default("service")
        .openapi({ description: "The naming of `type` in the response; filters take names of both" }),
    }).superRefine(checkTimeRange),
  },
  responses: {
    200: cursorPageAnswer(EventEnvelope, "One page of events"),
    ...problemResponses("unauthorized", "validation_failed"),
  },
});

export const eventRoutes = newRouter().openapi(listRoute, async (c) => {
  const { type: types, objectId, ...query } = c.req.valid("query");
  const { records, pagination } = await listEventPage(c.env, c.var.caller.workspaceId, {
    ...query,
    types,
    objectId: objectId?.toLowerCase(),
  });
  return c.json(successPage(records, pagination), 200);
});

import { createRoute, z } from "@hono/zod-openapi";
import { cursorPageAnswer, security, successPage } from "../../platform/http/answers.ts";
import { CursorQuery } from "../../platform/http/cursor.ts";
import { pattern } from "../../platform/http/fields.ts";
import { problemResponses } from "../../platform/http/openapi.ts";
import { newRouter } from "../../platform/http/router.ts";
import { checkTimeRange, timeRange } from "../../platform/http/time-range.ts";
import { listRequestPage } from "./list-request-page.ts";
import { RequestLogRecord } from "./request-log-listing.ts";

/** `404`, or `4xx` for a class. @returns the first and last status of the range */
const StatusFilter = pattern(/^[1-5](\d\d|xx)$/, "a status such as `404`, or a class such as `4xx`")
  .transform((text): readonly [number, number] => [Number(text.replace("xx", "00")), Number(text.replace("xx", "99"))])
  .openapi({
    type: "string",
    pattern: "^[1-5](\\d\\d|xx)$",
    description: "A status, or a class of them",
    example: "4xx",
  });

const listRoute = createRoute({
  operationId: "list-request-logs",
  summary: "List requests to this API",
  description:
    "Requests of the last 30 days with valid credentials, creations over tus included, newest first. Bodies and queries are not stored.",
  method: "get",
  path: "/v1/request-logs",
  tags: ["Request logs"],
  security,
  request: {
    query: CursorQuery.extend({
      method: z.enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]).optional(),
      status: StatusFilter.optional(),
      resourceId: z
        .string()
        .min(1)
        .max(64)
        .optional()
        .openapi({ description: "The first of its resource ids: the media, webhook or event concerned" }),
      ...timeRange("Came"),
    }).superRefine(checkTimeRange),
  },
  responses: {
    200: cursorPageAnswer(RequestLogRecord, "One page of requests"),
    ...problemResponses("unauthorized", "validation_failed"),
  },
});

export const requestLogRoutes = newRouter().openapi(listRoute, async (c) => {
  const { status: statuses, resourceId, ...query } = c.req.valid("query");
  const { records, pagination } = await listRequestPage(c.env, c.var.caller.workspaceId, {
    ...query,
    statuses,
    resourceId: resourceId?.toLowerCase(),
  });
  return c.json(successPage(records, pagination), 200);
});

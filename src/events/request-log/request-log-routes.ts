import { createRoute, z } from "@hono/zod-openapi";
import { openDatabase } from "../../platform/database.ts";
import { cursorPageAnswer, security, successPage } from "../../platform/http/answers.ts";
import { CursorQuery, cutPage, readCursor } from "../../platform/http/cursor.ts";
import { problemResponses } from "../../platform/http/openapi.ts";
import { listRequests, RequestLogRecord, toRequestLog } from "./request-log-listing.ts";
import { newRouter } from "../../platform/http/router.ts";
import { checkTimeRange, timeRange } from "../../platform/http/time-range.ts";

/** `404`, or `4xx` for a class. @returns the first and last status of the range */
const StatusFilter = z
  .string()
  .regex(/^[1-5](\d\d|xx)$/)
  .transform((text): readonly [number, number] => [Number(text.replace("xx", "00")), Number(text.replace("xx", "99"))])
  .openapi({
    type: "string",
    pattern: "^[1-5](\\d\\d|xx)$",
    description: "A status, or a class of them",
    example: "4xx",
  });

/** Position of a page's last request: time (epoch ms) and id. */
const SortKey = z.tuple([z.int(), z.uuid()]);

const listRoute = createRoute({
  operationId: "list-request-logs",
  summary: "List requests to this API",
  description: "Requests of the last 30 days with valid credentials, newest first. Bodies and queries are not stored.",
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
  const { limit, cursor, method, status, resourceId, from, to } = c.req.valid("query");
  const found = await listRequests(
    openDatabase(c.env.DB),
    c.var.caller.workspaceId,
    {
      method,
      statuses: status,
      resourceId: resourceId?.toLowerCase(),
      from,
      to,
      after: readCursor(cursor, SortKey),
    },
    limit + 1,
  );
  const { rows, pagination } = cutPage(found, limit, ({ at, id }) => [at.getTime(), id]);
  return c.json(successPage(rows.map(toRequestLog), pagination), 200);
});

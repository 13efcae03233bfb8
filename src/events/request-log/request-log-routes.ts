import { createRoute, z } from "@hono/zod-openapi";
import { openDatabase } from "../../platform/database.ts";
import { CursorPagination, CursorQuery, cutPage, readCursor } from "../../platform/http/cursor.ts";
import { json, problemResponses } from "../../platform/http/openapi.ts";
import { listRequests, RequestLogRecord, toRequestLog } from "./request-log-listing.ts";
import { newRouter } from "../../platform/http/router.ts";
import { checkTimeRange, timeRange } from "../../platform/http/time-range.ts";

/** `404`, or `4xx` for all of a class. @returns the first and the last status that are meant */
const StatusFilter = z
  .string()
  .regex(/^[1-5](\d\d|xx)$/)
  .transform((text): readonly [number, number] => [Number(text.replace("xx", "00")), Number(text.replace("xx", "99"))])
  .openapi({
    type: "string",
    pattern: "^[1-5](\\d\\d|xx)$",
    description: "One status, or all of a class",
    example: "4xx",
  });

/** Where a page of requests ends: their time (epoch ms) and id. */
const SortKey = z.tuple([z.int(), z.uuid()]);

const listRoute = createRoute({
  operationId: "list-request-logs",
  summary: "Requests to this API, newest first",
  description: "Requests of the last 30 days that came with good credentials. Bodies and queries are not kept.",
  method: "get",
  path: "/v1/request-logs",
  tags: ["Request logs"],
  security: [{ basic: [] }],
  request: {
    query: CursorQuery.extend({
      method: z.enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]).optional(),
      status: StatusFilter.optional(),
      resourceId: z
        .string()
        .min(1)
        .max(64)
        .optional()
        .openapi({ description: "The first of its ids: the media, webhook or event that it was about" }),
      ...timeRange("Came"),
    }).superRefine(checkTimeRange),
  },
  responses: {
    200: {
      description: "One page of requests",
      content: json(
        z.object({ success: z.literal(true), data: z.array(RequestLogRecord), pagination: CursorPagination }),
      ),
    },
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
  return c.json({ success: true as const, data: rows.map(toRequestLog), pagination }, 200);
});

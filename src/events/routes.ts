import { createRoute, z } from "@hono/zod-openapi";
import { openDatabase } from "../platform/database.ts";
import { cursorPageAnswer, security, successPage } from "../platform/http/answers.ts";
import { CursorQuery, cutPage, readCursor } from "../platform/http/cursor.ts";
import { problemResponses } from "../platform/http/openapi.ts";
import { newRouter } from "../platform/http/router.ts";
import { checkTimeRange, timeRange } from "../platform/http/time-range.ts";
import { EventEnvelope } from "./catalogue/envelope.ts";
import { envelopeOf, listEvents } from "./listing.ts";
import { checkTypePattern } from "./type-filter.ts";

const tags = ["Events"];

const TypeFilter = z
  .string()
  .transform((pattern, context) => {
    const checked = checkTypePattern(pattern);
    if (checked.ok) return checked.types;
    context.addIssue({ code: "custom", message: checked.message });
    return z.NEVER;
  })
  .openapi({
    type: "string",
    description: "A name in either naming, or a prefix of names",
    example: "video.media.*",
  });

/** Position of a page's last event: time and id. */
const SortKey = z.tuple([z.iso.datetime({ precision: 9 }), z.uuid()]);

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
  const { limit, cursor, type, objectId, from, to, naming } = c.req.valid("query");
  const found = await listEvents(
    openDatabase(c.env.DB),
    c.var.caller.workspaceId,
    { types: type, objectId: objectId?.toLowerCase(), from, to, after: readCursor(cursor, SortKey) },
    limit + 1,
  );
  const { rows, pagination } = cutPage(found, limit, ({ createdAt, id }) => [createdAt, id]);
  return c.json(
    successPage(
      rows.map((event) => envelopeOf(event, naming)),
      pagination,
    ),
    200,
  );
});

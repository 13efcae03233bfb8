import { createRoute, z } from "@hono/zod-openapi";
import { openDatabase } from "../../platform/database.ts";
import { envelopeOf, EventEnvelope } from "../../events/index.ts";
import { cursorPageAnswer, security, successPage } from "../../platform/http/answers.ts";
import { CursorQuery, cutPage, readCursor } from "../../platform/http/cursor.ts";
import { problemResponses } from "../../platform/http/openapi.ts";
import { orNotFound } from "../../platform/http/problems.ts";
import { uuidParam } from "../../platform/http/requests.ts";
import { RequestLogRecord, toRequestLog } from "../../events/request-log/index.ts";
import { newRouter } from "../../platform/http/router.ts";
import { ACTIVITY_ROUTE, type ActivityItem, keyOf, listActivity } from "./activity.ts";

const RequestItem = RequestLogRecord.extend({ kind: z.literal("request") }).openapi("RequestActivity");
const EventItem = z
  .object({
    kind: z.literal("event"),
    at: z.iso.datetime({ precision: 9 }).openapi({ description: "When it happened; the event's `createdAt`" }),
    type: z.string().openapi({ description: "Its name with `naming: service`", example: "asset.ready" }),
    videoType: z.string().openapi({ description: "Its name with `naming: video`", example: "video.media.ready" }),
    event: EventEnvelope,
  })
  .openapi("EventActivity");
const Item = z.discriminatedUnion("kind", [RequestItem, EventItem]).openapi("Activity");

const SortKey = z.tuple([z.iso.datetime({ precision: 9 }), z.enum(["event", "request"]), z.uuid()]);

const activityRoute = createRoute({
  operationId: "list-media-activity",
  summary: "Requests about a media and its events, newest first",
  description:
    "Of the last 30 days, also when the media is deleted. Requests to this route itself are left out; they are in the request log.",
  method: "get",
  path: ACTIVITY_ROUTE,
  tags: ["Media"],
  security,
  request: {
    params: z.object({ mediaId: uuidParam("mediaId") }),
    query: CursorQuery,
  },
  responses: {
    200: cursorPageAnswer(Item, "One page of activity"),
    ...problemResponses("unauthorized", "media_not_found", "validation_failed"),
  },
});

function toItem(item: ActivityItem): z.infer<typeof Item> {
  if (item.kind === "request") return { kind: "request", ...toRequestLog(item.row) };
  const { createdAt, type, videoType } = item.row;
  return { kind: "event", at: createdAt, type, videoType, event: envelopeOf(item.row, "service") };
}

export const activityRoutes = newRouter().openapi(activityRoute, async (c) => {
  const { limit, cursor } = c.req.valid("query");
  const found = await listActivity(
    openDatabase(c.env.DB),
    { workspaceId: c.var.caller.workspaceId, assetId: c.req.valid("param").mediaId.toLowerCase() },
    readCursor(cursor, SortKey),
    limit + 1,
  );
  const { rows, pagination } = cutPage(orNotFound(found, "media_not_found"), limit, keyOf);
  return c.json(successPage(rows.map(toItem), pagination), 200);
});

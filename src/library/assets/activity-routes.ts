import { createRoute, z } from "@hono/zod-openapi";
import { openDatabase } from "../../platform/database.ts";
import { cursorPageAnswer, security, successPage } from "../../platform/http/answers.ts";
import { CursorQuery, readCursor } from "../../platform/http/cursor.ts";
import { problemResponses } from "../../platform/http/openapi.ts";
import { orNotFound } from "../../platform/http/problems.ts";
import { uuidParam } from "../../platform/http/requests.ts";
import { newRouter } from "../../platform/http/router.ts";
import { ACTIVITY_ROUTE, listActivity } from "./list-activity.ts";
import { ActivityRecord, toActivity } from "./to-activity.ts";

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
    200: cursorPageAnswer(ActivityRecord, "One page of activity"),
    ...problemResponses("unauthorized", "media_not_found", "validation_failed"),
  },
});

export const activityRoutes = newRouter().openapi(activityRoute, async (c) => {
  const { limit, cursor } = c.req.valid("query");
  const { mediaId } = c.req.valid("param");
  const key = { workspaceId: c.var.caller.workspaceId, assetId: mediaId.toLowerCase() };
  const page = await listActivity(openDatabase(c.env.DB), key, readCursor(cursor, SortKey), limit);
  const { rows, pagination } = orNotFound(page, "media_not_found");
  return c.json(successPage(rows.map(toActivity), pagination), 200);
});

import { createRoute, z } from "@hono/zod-openapi";
import { and, eq, isNull } from "drizzle-orm";
import { findAsset } from "../../library/assets/index.ts";
import { liveStreams, streamParams } from "../../live/index.ts";
import { openDatabase } from "../../platform/database.ts";
import { envelopeAnswer, security, successWith } from "../../platform/http/answers.ts";
import { problemResponses } from "../../platform/http/openapi.ts";
import { orNotFound } from "../../platform/http/problems.ts";
import { uuidParam } from "../../platform/http/requests.ts";
import { newRouter } from "../../platform/http/router.ts";
import { ScopeQuery, Timespan, timespanOf } from "../metrics/schemas.ts";
import { readScope } from "../questions/scope.ts";
import { openEngine } from "../engines/open-engine.ts";
import { engagementOf, gridOver } from "./engagement.ts";

const tags = ["Video data"];
const whole = z.int().nonnegative();

const figures = {
  intervalMs: whole.openapi({ description: "At least 1 s; longer beyond an hour, so that there are at most 3,600" }),
  totalViews: whole.openapi({ description: "Views of the time span that showed a picture" }),
  intervals: z.array(
    z.object({
      startMs: whole,
      views: whole.openapi({ description: "Views that watched the interval" }),
      share: z.number().openapi({ description: "Of all views, 0 to 1" }),
      replays: whole.openapi({ description: "How often it was watched again in a view" }),
    }),
  ),
  hotspots: z.array(z.object({ startMs: whole, endMs: whole, plays: z.number() })).openapi({
    description: "At most 5 parts that were watched more often than the average by over one standard deviation",
  }),
};
const MediaEngagement = z.object({ mediaId: z.uuid(), durationMs: whole, ...figures }).openapi("MediaEngagement");
const StreamEngagement = z.object({ streamId: z.string(), ...figures }).openapi("StreamEngagement");

const mediaRoute = createRoute({
  operationId: "get_media_engagement",
  summary: "Which seconds of a media were watched",
  description:
    "`startMs` is the position in the media. Seconds are counted as players report them, with their playhead.",
  method: "get",
  path: "/v1/data/media/{mediaId}/engagement",
  tags,
  security,
  request: { params: z.object({ mediaId: uuidParam("mediaId") }), query: ScopeQuery },
  responses: {
    200: envelopeAnswer({ data: MediaEngagement, timespan: Timespan }, "The seconds"),
    ...problemResponses("unauthorized", "forbidden", "media_not_found", "validation_failed"),
  },
});

const streamRoute = createRoute({
  operationId: "get_stream_engagement",
  summary: "When a live stream was watched",
  description:
    "`startMs` is the time of day, epoch milliseconds. A stream without views in the time span has no intervals with views.",
  method: "get",
  path: "/v1/data/streams/{streamId}/engagement",
  tags,
  security,
  request: { params: streamParams, query: ScopeQuery },
  responses: {
    200: envelopeAnswer({ data: StreamEngagement, timespan: Timespan }, "The intervals"),
    ...problemResponses("unauthorized", "forbidden", "stream_not_found", "validation_failed"),
  },
});

export const engagementRoutes = newRouter()
  .openapi(mediaRoute, async (c) => {
    const { workspaceId } = c.var.caller;
    const nowMs = Date.now();
    const { "timespan[]": spans, "filterby[]": filters } = c.req.valid("query");
    const scope = readScope(spans, filters, nowMs);
    const mediaId = c.req.valid("param").mediaId.toLowerCase();
    const { asset } = orNotFound(await findAsset(openDatabase(c.env.DB), workspaceId, mediaId), "media_not_found");
    const durationMs = asset.durationMs ?? 0;
    const question = {
      scope,
      content: { column: "media_id" as const, id: mediaId },
      grid: gridOver(0, durationMs),
    };
    const data = {
      mediaId,
      durationMs,
      ...(await engagementOf(await openEngine(c.env, workspaceId, nowMs), question)),
    };
    return c.json(successWith({ data, timespan: timespanOf(scope) }), 200);
  })
  .openapi(streamRoute, async (c) => {
    const { workspaceId } = c.var.caller;
    const nowMs = Date.now();
    const { "timespan[]": spans, "filterby[]": filters } = c.req.valid("query");
    const scope = readScope(spans, filters, nowMs);
    const { streamId } = c.req.valid("param");
    const isMine = and(
      eq(liveStreams.id, streamId),
      eq(liveStreams.workspaceId, workspaceId),
      isNull(liveStreams.deletedAt),
    );
    const [stream] = await openDatabase(c.env.DB).select({ id: liveStreams.id }).from(liveStreams).where(isMine);
    orNotFound(stream ?? null, "stream_not_found");
    const question = {
      scope,
      content: { column: "fp_live_stream_id" as const, id: streamId },
      grid: gridOver(scope.fromMs, scope.toMs - scope.fromMs),
    };
    const data = { streamId, ...(await engagementOf(await openEngine(c.env, workspaceId, nowMs), question)) };
    return c.json(successWith({ data, timespan: timespanOf(scope) }), 200);
  });

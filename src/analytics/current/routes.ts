import { createRoute, z } from "@hono/zod-openapi";
import { dataAnswer, envelopeAnswer, security, success, successWith } from "../../platform/http/answers.ts";
import { problemResponses } from "../../platform/http/openapi.ts";
import { newRouter } from "../../platform/http/router.ts";
import { limitQuery, Timespan, TimespanMs, timespanOf } from "../metrics/schemas.ts";
import { DIMENSIONS } from "../store/dimensions.ts";
import { nowEvents } from "./now-events.ts";
import { Now, viewersNow } from "./now.ts";
import { byDimension } from "../questions/group-key.ts";
import { currentViewers, currentViewsByMinute } from "./current-views.ts";

const tags = ["Video data"];
const whole = z.int();

/** Older clients also group by these names, which are not dimensions. The values are SQL expressions. */
const OLDER_NAMES: Record<string, string> = { asn_id: "record ->> '$.asnId'", view_id: "view_id" };
const GROUPS = [...DIMENSIONS, ...Object.keys(OLDER_NAMES)] as [string, ...string[]];

const CurrentViewsInterval = z
  .object({ intervalTime: z.iso.datetime(), metricValue: whole, numberOfViews: whole })
  .openapi("CurrentViewsInterval");
const timeseriesRoute = createRoute({
  operationId: "get_current_views_timeseries",
  summary: "Views that ran in each of the last 30 minutes",
  description:
    "For older clients. A view runs from its first event to its last, or to now if that one is at most 60 s old. `metricValue` is `numberOfViews`; `timespan` is in milliseconds.",
  method: "get",
  path: "/v1/data/viewlist/current-views/getTimeseriesViews",
  tags,
  security,
  responses: {
    200: envelopeAnswer({ data: z.array(CurrentViewsInterval), timespan: TimespanMs }, "30 minutes, the oldest first"),
    ...problemResponses("unauthorized", "forbidden"),
  },
});

const CurrentViewersGroup = z
  .object({
    concurrentViewers: whole,
    dimensionName: z.string().openapi({ description: 'The value of the dimension; "" = views without a value' }),
    metricValue: whole.openapi({ description: "Running views" }),
  })
  .openapi("CurrentViewersGroup");
const filterRoute = createRoute({
  operationId: "filter_current_views",
  summary: "Current viewers for each value of a dimension",
  description:
    "For older clients. Viewers with a running view whose last event is at most 60 s old, the most frequent value first.",
  method: "get",
  path: "/v1/data/viewlist/current-views/filter",
  tags,
  security,
  request: { query: z.object({ dimension: z.enum(GROUPS).default("country"), limit: limitQuery(10) }) },
  responses: {
    200: envelopeAnswer({ data: z.array(CurrentViewersGroup), timespan: Timespan }, "The values"),
    ...problemResponses("unauthorized", "forbidden", "validation_failed"),
  },
});

const EVENT_STREAM = "text/event-stream";
const EXAMPLE_EVENT =
  'retry: 1000\nevent: now\ndata: {"at":"2026-05-20T13:04:12.907Z","viewers":1,"views":1,"media":[],"streams":[],"countries":[{"country":"IT","viewers":1,"views":1}]}\n\n';
const withEventStream = <Answer extends { content: object }>(answer: Answer) => ({
  ...answer,
  content: {
    ...answer.content,
    [EVENT_STREAM]: { schema: z.string().openapi({ example: EXAMPLE_EVENT }) },
  } as Answer["content"],
});
const nowRoute = createRoute({
  operationId: "get_viewers_now",
  summary: "Who is watching now",
  description:
    "Viewers with a running view that has reported in the last 60 s, in all and for each media, stream and country. With `Accept: text/event-stream` the answer is a stream of server-sent events named `now`, whose data is the record: one at once, one each 10 s, and it ends after 30.",
  method: "get",
  path: "/v1/data/now",
  tags,
  security,
  responses: {
    200: withEventStream(dataAnswer(Now, "The viewers")),
    ...problemResponses("unauthorized", "forbidden"),
  },
});

export const currentViewRoutes = newRouter()
  .openapi(nowRoute, async (c) => {
    const { workspaceId } = c.var.caller;
    const ask = () => viewersNow(c.env, workspaceId, Date.now());
    c.header("vary", "Accept");
    if (c.req.header("accept")?.includes(EVENT_STREAM) !== true) return c.json(success(await ask()), 200);
    // The document describes the JSON.
    return c.body(nowEvents(ask), 200, { "content-type": EVENT_STREAM }) as never;
  })
  .openapi(timeseriesRoute, async (c) => {
    const { fromMs, toMs, counts } = await currentViewsByMinute(c.env, c.var.caller.workspaceId, Date.now());
    const data = counts.map(({ atMs, views }) => ({
      intervalTime: new Date(atMs).toISOString().replace(".000Z", "Z"),
      metricValue: views,
      numberOfViews: views,
    }));
    return c.json(successWith({ data, timespan: [fromMs, toMs] }), 200);
  })
  .openapi(filterRoute, async (c) => {
    const { dimension, limit } = c.req.valid("query");
    const nowMs = Date.now();
    const key = byDimension(OLDER_NAMES[dimension] ?? dimension);
    const groups = await currentViewers(c.env, c.var.caller.workspaceId, key, nowMs);
    const data = groups.slice(0, limit).map(({ key, viewers, views }) => ({
      concurrentViewers: viewers,
      dimensionName: key ?? "",
      metricValue: views,
    }));
    return c.json(successWith({ data, timespan: timespanOf({ fromMs: nowMs - 60_000, toMs: nowMs }) }), 200);
  });

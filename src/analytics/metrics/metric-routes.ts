import { createRoute, z } from "@hono/zod-openapi";
import { envelopeAnswer, security, successWith } from "../../platform/http/answers.ts";
import { problemResponses } from "../../platform/http/openapi.ts";
import { pagination, Pagination } from "../../platform/http/pagination.ts";
import { newRouter } from "../../platform/http/router.ts";
import { comparisonOf, ComparisonItem } from "./comparison.ts";
import { openEngine } from "../engines/open-engine.ts";
import { ALL, byDimension } from "../questions/group-key.ts";
import type { Group } from "../questions/view-engine.ts";
import { byInterval, fillIntervals, INTERVALS } from "./intervals.ts";
import { listErrors, PlaybackError, TopError } from "./list-errors.ts";
import { METRICS } from "../questions/metrics.ts";
import * as schemas from "./schemas.ts";
import { readScope } from "../questions/scope.ts";

const { AGGREGATION, DimensionName, limitQuery, MeasurementName, MetricParams, scopeQuery, SortOrder, timespanOf } =
  schemas;
const tags = ["Video data"];
const problems = problemResponses("unauthorized", "forbidden", "validation_failed");
const whole = z.int();
const value = z.number().nullable();

const OverallValue = z
  .object({
    value,
    totalWatchTime: whole,
    uniqueViews: whole,
    totalViews: whole,
    totalPlayTime: whole,
    globalValue: value,
  })
  .openapi("OverallValue");
const BreakdownValue = z
  .object({ views: whole, value, totalWatchTime: whole, totalPlayingTime: whole, field: z.string().nullable() })
  .openapi("BreakdownValue");
const IntervalValue = z
  .object({ intervalTime: z.iso.datetime(), metricValue: value, numberOfViews: whole })
  .openapi("IntervalValue");

const overallRoute = createRoute({
  operationId: "list_overall_values",
  summary: "A metric over all views",
  description: "`globalValue` is that of all views of the time span, without the filters. Times are milliseconds.",
  method: "get",
  path: "/v1/data/metrics/{metricId}/overall",
  tags,
  security,
  request: { params: MetricParams, query: z.object({ ...scopeQuery, measurement: MeasurementName }) },
  responses: {
    200: envelopeAnswer(
      {
        metadata: schemas.Aggregation,
        data: OverallValue,
        timespan: schemas.Timespan,
      },
      "The value",
    ),
    ...problems,
  },
});

const ORDERS = ["views", "value", "totalWatchTime", "totalPlayingTime", "field"] as const;
const breakdownRoute = createRoute({
  operationId: "list_breakdown_values",
  summary: "A metric for each value of a dimension",
  description: "`field` is the value of the dimension; null = views without a value.",
  method: "get",
  path: "/v1/data/metrics/{metricId}/breakdown",
  tags,
  security,
  request: {
    params: MetricParams,
    query: z.object({
      ...scopeQuery,
      limit: limitQuery(10),
      offset: schemas.pageNumber,
      groupBy: DimensionName.default("browser_name"),
      orderBy: z.enum(ORDERS).default("views"),
      sortOrder: SortOrder,
      measurement: MeasurementName,
    }),
  },
  responses: {
    200: envelopeAnswer(
      {
        metadata: schemas.Aggregation,
        data: z.array(BreakdownValue),
        pagination: Pagination,
        timespan: schemas.Timespan,
      },
      "One page of values",
    ),
    ...problems,
  },
});

const timeseriesRoute = createRoute({
  operationId: "get_timeseries_data",
  summary: "A metric over time",
  description:
    "One row for each interval of the time span, also for those without views. Here `timespan` is in milliseconds.",
  method: "get",
  path: "/v1/data/metrics/{metricId}/timeseries",
  tags,
  security,
  request: {
    params: MetricParams,
    query: z.object({
      ...scopeQuery,
      groupBy: z.enum(INTERVALS).optional().openapi({ description: "Default: minute" }),
      granularity: z.enum(INTERVALS).optional().openapi({ description: "An older name of `groupBy`" }),
      sortOrder: SortOrder,
      measurement: MeasurementName,
    }),
  },
  responses: {
    200: envelopeAnswer(
      {
        metadata: schemas.Aggregation.extend({ granularity: z.enum(INTERVALS) }),
        data: z.array(IntervalValue),
        timespan: schemas.TimespanMs,
      },
      "The values",
    ),
    ...problems,
  },
});

const comparisonRoute = createRoute({
  operationId: "list_comparison_values",
  summary: "All metrics at once",
  description:
    "As a tree, for the views that have a value of a dimension, or for all views. Scores are those of views that did not fail.",
  method: "get",
  path: "/v1/data/metrics/comparison",
  tags,
  security,
  request: {
    query: z.object({ ...scopeQuery, dimension: DimensionName.optional(), value: z.string().max(2048).optional() }),
  },
  responses: {
    200: envelopeAnswer({ data: z.array(ComparisonItem), timespan: schemas.Timespan }, "The tree"),
    ...problems,
  },
});

const errorsRoute = createRoute({
  operationId: "list_errors",
  summary: "Errors that ended playback",
  description: "The most frequent first. Percentages are shares of all views, and of all viewers, from 0 to 1.",
  method: "get",
  path: "/v1/data/errors",
  tags,
  security,
  request: {
    query: z.object({
      ...scopeQuery,
      limit: limitQuery(1, "Rows of each list, from the most frequent error; by default that one alone"),
    }),
  },
  responses: {
    200: envelopeAnswer(
      {
        data: z.object({ errors: z.array(PlaybackError), topErrors: z.array(TopError) }),
        timespan: schemas.Timespan,
      },
      "The errors",
    ),
    ...problems,
  },
});

const EMPTY: Group = { key: null, views: 0, viewers: 0, watchMs: 0, playingMs: 0, value: null };

export const metricRoutes = newRouter()
  .openapi(overallRoute, async (c) => {
    const { "timespan[]": spans, "filterby[]": filters, measurement } = c.req.valid("query");
    const { metricId: metric } = c.req.valid("param");
    const nowMs = Date.now();
    const scope = readScope(spans, filters, nowMs);
    const engine = await openEngine(c.env, c.var.caller.workspaceId, nowMs);
    const ask = async (filtered: typeof scope) => {
      const [all] = await engine.group({ scope: filtered, metric, measurement, key: ALL });
      const empty = { ...EMPTY, value: METRICS[metric].column === null || metric === "unique_viewers" ? 0 : null };
      return all ?? empty;
    };
    const [own, everything] = await Promise.all([
      ask(scope),
      filters.length === 0 ? null : ask({ ...scope, filters: [] }),
    ]);
    const data = {
      value: own.value,
      totalWatchTime: Math.round(own.watchMs),
      uniqueViews: own.viewers,
      totalViews: own.views,
      totalPlayTime: Math.round(own.playingMs),
      globalValue: (everything ?? own).value,
    };
    return c.json(successWith({ metadata: AGGREGATION, data, timespan: timespanOf(scope) }), 200);
  })
  .openapi(breakdownRoute, async (c) => {
    const query = c.req.valid("query");
    const {
      "timespan[]": spans,
      "filterby[]": filters,
      limit,
      offset,
      groupBy,
      orderBy,
      sortOrder,
      measurement,
    } = query;
    const scope = readScope(spans, filters, Date.now());
    const engine = await openEngine(c.env, c.var.caller.workspaceId, Date.now());
    const { metricId: metric } = c.req.valid("param");
    const rows = (await engine.group({ scope, metric, measurement, key: byDimension(groupBy) })).map((group) => ({
      views: group.views,
      value: group.value,
      totalWatchTime: Math.round(group.watchMs),
      totalPlayingTime: Math.round(group.playingMs),
      field: group.key === null ? null : String(group.key),
    }));
    const sorted = rows.toSorted(
      (one, other) => compare(one[orderBy], other[orderBy]) || compare(one.field, other.field),
    );
    if (sortOrder === "desc") sorted.reverse();
    const answer = {
      metadata: AGGREGATION,
      data: sorted.slice((offset - 1) * limit, offset * limit),
      pagination: pagination(sorted.length, offset, limit),
      timespan: timespanOf(scope),
    };
    return c.json(successWith(answer), 200);
  })
  .openapi(timeseriesRoute, async (c) => {
    const query = c.req.valid("query");
    const { "timespan[]": spans, "filterby[]": filters, granularity, sortOrder, measurement } = query;
    const interval = query.groupBy ?? granularity ?? "minute";
    const scope = readScope(spans, filters, Date.now());
    const engine = await openEngine(c.env, c.var.caller.workspaceId, Date.now());
    const { metricId: metric } = c.req.valid("param");
    const groups = await engine.group({ scope, metric, measurement, key: byInterval(interval) });
    const intervals = fillIntervals(scope, interval, groups);
    if (sortOrder === "desc") intervals.reverse();
    const answer = {
      metadata: { granularity: interval, ...AGGREGATION },
      data: intervals,
      timespan: [scope.fromMs, scope.toMs],
    };
    return c.json(successWith(answer), 200);
  })
  .openapi(comparisonRoute, async (c) => {
    const { "timespan[]": spans, "filterby[]": filters, dimension, value: wanted } = c.req.valid("query");
    const scope = readScope(spans, filters, Date.now());
    if (dimension !== undefined && wanted !== undefined)
      scope.filters.push({ dimension, value: wanted, isExcluded: false, isSeparate: true });
    const data = await comparisonOf(await openEngine(c.env, c.var.caller.workspaceId, Date.now()), scope);
    return c.json(successWith({ data, timespan: timespanOf(scope) }), 200);
  })
  .openapi(errorsRoute, async (c) => {
    const { "timespan[]": spans, "filterby[]": filters, limit } = c.req.valid("query");
    const scope = readScope(spans, filters, Date.now());
    const data = await listErrors(await openEngine(c.env, c.var.caller.workspaceId, Date.now()), scope, limit);
    return c.json(successWith({ data, timespan: timespanOf(scope) }), 200);
  });

/** Sorts null as the smallest value. */
function compare(one: string | number | null, other: string | number | null): number {
  if (one === other) return 0;
  if (one === null || other === null) return one === null ? -1 : 1;
  return one < other ? -1 : 1;
}

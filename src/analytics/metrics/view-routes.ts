import { createRoute, z } from "@hono/zod-openapi";
import { dataAnswer, envelopeAnswer, security, success, successWith } from "../../platform/http/answers.ts";
import { problemResponses } from "../../platform/http/openapi.ts";
import { pagination, Pagination } from "../../platform/http/pagination.ts";
import { orNotFound } from "../../platform/http/problems.ts";
import { uuidParam } from "../../platform/http/requests.ts";
import { newRouter } from "../../platform/http/router.ts";
import { DIMENSIONS } from "../store/dimensions.ts";
import { openEngine } from "../engines/open-engine.ts";
import { byDimension } from "../questions/group-key.ts";
import {
  DimensionName,
  limitQuery,
  pageNumber,
  ScopeQuery,
  scopeQuery,
  SortOrder,
  Timespan,
  timespanOf,
} from "./schemas.ts";
import { readScope } from "../questions/scope.ts";
import { toView, toViewItem, View, ViewItem } from "./to-view.ts";

const tags = ["Video data"];
const problems = problemResponses("unauthorized", "forbidden", "validation_failed");

const listRoute = createRoute({
  operationId: "list_video_views",
  summary: "Page through views",
  description: "By the time at which they ended, or were last active.",
  method: "get",
  path: "/v1/data/viewlist",
  tags,
  security,
  request: {
    query: z.object({
      ...scopeQuery,
      limit: limitQuery(10),
      offset: pageNumber,
      viewerId: z.string().max(255).optional(),
      errorCode: z.string().max(255).optional(),
      orderBy: z.literal("view_end").default("view_end"),
      sortOrder: SortOrder,
    }),
  },
  responses: {
    200: envelopeAnswer({ data: z.array(ViewItem), pagination: Pagination, timespan: Timespan }, "One page of views"),
    ...problems,
  },
});

const viewRoute = createRoute({
  operationId: "get_video_view_details",
  summary: "One view",
  description: "Its record and its events. A view that still runs is at most 30 s old.",
  method: "get",
  path: "/v1/data/viewlist/{viewId}",
  tags,
  security,
  request: { params: z.object({ viewId: uuidParam("viewId") }) },
  responses: {
    200: dataAnswer(View, "The view"),
    ...problemResponses("unauthorized", "forbidden", "view_not_found", "validation_failed"),
  },
});

const TopContent = z.object({ videoTitle: z.string(), views: z.int(), uniqueViews: z.int() }).openapi("TopContent");
const topContentRoute = createRoute({
  operationId: "list_by_top_content",
  summary: "The most watched titles",
  description: 'Views without a title have the title "".',
  method: "get",
  path: "/v1/data/viewlist/top-content",
  tags,
  security,
  request: { query: z.object({ ...scopeQuery, limit: limitQuery(10) }) },
  responses: { 200: envelopeAnswer({ data: z.array(TopContent), timespan: Timespan }, "Titles"), ...problems },
});

const dimensionsRoute = createRoute({
  operationId: "list_dimensions",
  summary: "The names of the dimensions",
  description: "By which views can be filtered and grouped.",
  method: "get",
  path: "/v1/data/dimensions",
  tags,
  security,
  responses: {
    200: dataAnswer(z.array(z.string().openapi("DimensionName")), "56 names"),
    ...problemResponses("unauthorized", "forbidden"),
  },
});

const DimensionValue = z.object({ value: z.string(), uniqueCount: z.int(), count: z.int() }).openapi("DimensionValue");
const valuesRoute = createRoute({
  operationId: "list_filter_values_for_dimension",
  summary: "The values of a dimension",
  description: "With the number of views (`count`) and of viewers (`uniqueCount`). The thousand most frequent values.",
  method: "get",
  path: "/v1/data/dimensions/{dimensionsId}",
  tags,
  security,
  request: { params: z.object({ dimensionsId: DimensionName }), query: ScopeQuery },
  responses: { 200: envelopeAnswer({ data: z.array(DimensionValue), timespan: Timespan }, "Values"), ...problems },
});
const MAX_VALUES = 1000;

const byViews = (one: { views: number }, other: { views: number }) => other.views - one.views;

export const viewRoutes = newRouter()
  .openapi(topContentRoute, async (c) => {
    const { "timespan[]": spans, "filterby[]": filters, limit } = c.req.valid("query");
    const scope = readScope(spans, filters, Date.now());
    const engine = await openEngine(c.env, c.var.caller.workspaceId, Date.now());
    const question = { scope, metric: "views", measurement: "count", key: byDimension("video_title") } as const;
    const groups = (await engine.group(question)).toSorted(byViews).slice(0, limit);
    const data = groups.map(({ key, views, viewers }) => ({
      videoTitle: String(key ?? ""),
      views,
      uniqueViews: viewers,
    }));
    return c.json(successWith({ data, timespan: timespanOf(scope) }), 200);
  })
  .openapi(listRoute, async (c) => {
    const query = c.req.valid("query");
    const { "timespan[]": spans, "filterby[]": filters, limit, offset, sortOrder, viewerId, errorCode } = query;
    const scope = readScope(spans, filters, Date.now());
    for (const [dimension, value] of Object.entries({ viewer_id: viewerId, error_code: errorCode }))
      if (value !== undefined) scope.filters.push({ dimension, value, isExcluded: false, isSeparate: true });
    const page = { page: offset, limit, order: sortOrder };
    const engine = await openEngine(c.env, c.var.caller.workspaceId, Date.now());
    const { rows, total } = await engine.list(scope, page);
    const answer = {
      data: rows.map(toViewItem),
      pagination: pagination(total, offset, limit),
      timespan: timespanOf(scope),
    };
    return c.json(successWith(answer), 200);
  })
  .openapi(viewRoute, async (c) => {
    const engine = await openEngine(c.env, c.var.caller.workspaceId, Date.now());
    const found = await engine.find(c.req.valid("param").viewId.toLowerCase());
    return c.json(success(toView(orNotFound(found, "view_not_found"))), 200);
  })
  .openapi(dimensionsRoute, (c) => c.json(success([...DIMENSIONS]), 200))
  .openapi(valuesRoute, async (c) => {
    const { "timespan[]": spans, "filterby[]": filters } = c.req.valid("query");
    const scope = readScope(spans, filters, Date.now());
    const engine = await openEngine(c.env, c.var.caller.workspaceId, Date.now());
    const key = byDimension(c.req.valid("param").dimensionsId);
    const groups = (await engine.group({ scope, metric: "views", measurement: "count", key }))
      .filter(({ key }) => key !== null)
      .toSorted(byViews);
    const data = groups
      .slice(0, MAX_VALUES)
      .map(({ key, views, viewers }) => ({ value: String(key), uniqueCount: viewers, count: views }));
    return c.json(successWith({ data, timespan: timespanOf(scope) }), 200);
  });

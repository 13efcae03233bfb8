import { createRoute, z } from "@hono/zod-openapi";
import { envelopeAnswer, security, successWith } from "../../platform/http/answers.ts";
import { problemResponses } from "../../platform/http/openapi.ts";
import { newRouter } from "../../platform/http/router.ts";
import { monthsIn } from "../questions/ask-stores.ts";
import { scopeQuery, Timespan, timespanOf } from "../metrics/schemas.ts";
import { readScope } from "../questions/scope.ts";
import { viewStore } from "../store/store-calls.ts";
import { type Refusal, REFUSALS } from "./refusals.ts";

const RefusedReports = z
  .object({
    reason: z.enum(Object.keys(REFUSALS) as [Refusal, ...Refusal[]]),
    description: z.string(),
    count: z.int(),
    lastAt: z.iso.datetime(),
  })
  .openapi("RefusedReports");

const route = createRoute({
  operationId: "list_refused_reports",
  summary: "What players sent that could not be used",
  description:
    "Beacons and CMCD reports that cannot be used are answered with 200, because a player can do nothing about it, and new views beyond a limit with 503, so that they are sent again; what cannot be used is counted here, by reason. A reason appears at once; further reports for it are added with the next refused report, at the earliest a minute later. `timespan[]` chooses hours.",
  method: "get",
  path: "/v1/data/refused-reports",
  tags: ["Video data"],
  security,
  request: { query: z.object({ "timespan[]": scopeQuery["timespan[]"] }) },
  responses: {
    200: envelopeAnswer({ data: z.array(RefusedReports), timespan: Timespan }, "The most frequent reason first"),
    ...problemResponses("unauthorized", "forbidden", "validation_failed"),
  },
});

export const refusalRoutes = newRouter().openapi(route, async (c) => {
  const { workspaceId } = c.var.caller;
  const nowMs = Date.now();
  const scope = readScope(c.req.valid("query")["timespan[]"], [], nowMs);
  const { fromMs, toMs } = scope;
  const months = monthsIn(c.env, scope, nowMs);
  const counts = await Promise.all(
    months.map((month) => viewStore(c.env, { workspaceId, month }).readRefusals(fromMs, toMs)),
  );
  const data = [...Map.groupBy(counts.flat(), ({ reason }) => reason as Refusal)].map(([reason, ofReason]) => ({
    reason,
    description: REFUSALS[reason] ?? "",
    count: ofReason.reduce((sum, { count }) => sum + count, 0),
    lastAt: new Date(Math.max(...ofReason.map(({ lastAtMs }) => lastAtMs))).toISOString(),
  }));
  data.sort((one, other) => other.count - one.count);
  return c.json(successWith({ data, timespan: timespanOf(scope) }), 200);
});

import { createRoute, z } from "@hono/zod-openapi";
import { openDatabase } from "../../platform/database.ts";
import { dataAnswer, security, success } from "../../platform/http/answers.ts";
import { hinted } from "../../platform/http/hints/issue-hints.ts";
import { problemResponses } from "../../platform/http/openapi.ts";
import { newRouter } from "../../platform/http/router.ts";
import { AI_USES } from "./tables.ts";
import { budgetMicroUsd, dayOf, spentInMonth, usageOfDays } from "./count-calls.ts";

/** As long as usage is kept. */
const MOST_DAYS = 400;
const DAY_MS = 86_400_000;
const USUAL_DAYS = 31;

const Day = z.iso.date();
const AiUsageQuery = z
  .object({
    from: Day.optional().openapi({ description: "The first day, UTC; 31 days before `to` by default" }),
    to: Day.optional().openapi({ description: "The last day; today by default" }),
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from <= to, {
    path: ["to"],
    ...hinted("is invalid", "must not be before `from`"),
  });

export const AiUsageRecord = z
  .object({
    from: Day,
    to: Day,
    budgetUsd: z.number().openapi({ description: "What the workspace may spend in a calendar month" }),
    spentUsd: z.number().openapi({ description: "In the current month" }),
    leftUsd: z.number(),
    days: z.array(
      z.object({
        date: Day,
        kind: z.enum(AI_USES),
        engine: z.string().openapi({ example: "openai-compatible" }),
        calls: z.int().openapi({ description: "Calls of the provider, or jobs of an encoder" }),
        units: z.number().openapi({ description: "Seconds of sound of captions; tokens of texts and pictures" }),
        unit: z.enum(["seconds", "tokens"]),
        costUsd: z.number(),
      }),
    ),
  })
  .openapi("AiUsage");

const usageRoute = createRoute({
  operationId: "get-ai-usage",
  summary: "What AI was used for, and what it cost",
  description:
    "One entry for each day, kind of result and engine. Costs are calculated from the prices in the owner's settings, before a call is made.",
  method: "get",
  path: "/v1/ai/usage",
  tags: ["In-video AI"],
  security,
  request: { query: AiUsageQuery },
  responses: {
    200: dataAnswer(AiUsageRecord, "Usage by day, and the budget of the current month"),
    ...problemResponses("unauthorized", "validation_failed"),
  },
});

const usd = (microUsd: number): number => microUsd / 1e6;

export const aiUsageRoutes = newRouter().openapi(usageRoute, async (c) => {
  const db = openDatabase(c.env.DB);
  const { workspaceId } = c.var.caller;
  const now = new Date();
  const { from: first, to = dayOf(now) } = c.req.valid("query");
  const daysBefore = (day: string, days: number) => dayOf(new Date(Date.parse(day) - days * DAY_MS));
  const oldest = daysBefore(dayOf(now), MOST_DAYS);
  const wanted = first ?? daysBefore(to, USUAL_DAYS - 1);
  const from = wanted < oldest ? oldest : wanted;
  const [rows, spent] = await Promise.all([
    usageOfDays(db, workspaceId, { from, to }),
    spentInMonth(db, workspaceId, now),
  ]);
  const budget = budgetMicroUsd(c.env);
  const answer: z.output<typeof AiUsageRecord> = {
    from,
    to,
    budgetUsd: usd(budget),
    spentUsd: usd(spent),
    leftUsd: usd(Math.max(0, budget - spent)),
    days: rows.map(({ day, kind, engine, calls, units, costMicroUsd }) => ({
      date: day,
      kind,
      engine,
      calls,
      units: Math.round(units * 1000) / 1000,
      unit: kind === "captions" ? ("seconds" as const) : ("tokens" as const),
      costUsd: usd(costMicroUsd),
    })),
  };
  return c.json(success(answer), 200);
});

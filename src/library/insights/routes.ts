import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { openDatabase } from "../../platform/database.ts";
import { dataAnswer, security, success } from "../../platform/http/answers.ts";
import { json, problemResponses } from "../../platform/http/openapi.ts";
import { orNotFound, Problem } from "../../platform/http/problems.ts";
import { uuidParam } from "../../platform/http/requests.ts";
import { type AppContext, newRouter } from "../../platform/http/router.ts";
import { findAsset } from "../assets/repository.ts";
import { removeInsight, requestInsight } from "./request-insight.ts";
import {
  ChaptersEnabled,
  ClearedModeration,
  ModerationEnabled,
  NamedEntitiesEnabled,
  SummaryEnabled,
  SummaryText,
  UpdateChapters,
  UpdateModeration,
  UpdateNamedEntities,
  UpdateSummary,
} from "./schemas.ts";
import { settingsOf } from "../../ai/settings/index.ts";
import { clearHold } from "./clear-hold.ts";
import { moderationRequest } from "./store/moderation-order.ts";
import { CHAPTERS, NAMED_ENTITIES, summaryRequest } from "./store/orders.ts";
import type { InsightRequest } from "./store/repository.ts";

const tags = ["In-video AI"];
const itemPath = "/v1/on-demand/{mediaId}";
const params = z.object({ mediaId: uuidParam("mediaId") });
const problems = problemResponses(
  "insight_exists",
  "ai_budget_spent",
  "track_limit_reached",
  "unauthorized",
  "forbidden",
  "media_not_found",
  "validation_failed",
);

const FOLLOWS =
  "It is made of the subtitles, which are made of the sound first if there are none, and appears in the media.";

/** A request for a result of a kind, or for its removal. */
const changeRoute = <Path extends string, Body extends z.ZodType, Answer extends z.ZodType>(
  path: Path,
  { body, answer: [answer, description], ...texts }: ChangeOfKind<Body, Answer>,
) =>
  createRoute({
    ...texts,
    method: "patch",
    path: `${itemPath}/${path}`,
    tags,
    security,
    request: { params, body: { required: true, content: json(body) } },
    responses: { 200: dataAnswer(answer, description), ...problems },
  });

interface ChangeOfKind<Body, Answer> {
  operationId: string;
  summary: string;
  description: string;
  body: Body;
  answer: [schema: Answer, description: string];
}

const summaryRoute = changeRoute("summary", {
  operationId: "update-media-summary",
  summary: "Have a media summarised",
  description: `${FOLLOWS} \`video.mediaAI.summary.ready\` follows. \`"generate": false\` removes it.`,
  body: UpdateSummary,
  answer: [SummaryEnabled, "Whether there is, or will be, one"],
});
const readSummaryRoute = createRoute({
  operationId: "get-media-summary",
  summary: "Read a media's summary",
  description: "Empty while it is made; `summary` of the media has its status.",
  method: "get",
  path: `${itemPath}/summary`,
  tags,
  security,
  request: { params },
  responses: {
    200: dataAnswer(SummaryText, "The summary"),
    ...problemResponses("summary_not_enabled", "unauthorized", "forbidden", "media_not_found", "validation_failed"),
  },
});
const chaptersRoute = changeRoute("chapters", {
  operationId: "update-media-chapters",
  summary: "Have a media divided into chapters",
  description: `${FOLLOWS} \`video.mediaAI.chapters.ready\` follows. \`"chapters": false\` removes them.`,
  body: UpdateChapters,
  answer: [ChaptersEnabled, "Whether there are, or will be"],
});
const entitiesRoute = changeRoute("named-entities", {
  operationId: "update-media-named-entities",
  summary: "Have the names in a media found",
  description: `${FOLLOWS} \`video.mediaAI.namedEntities.ready\` follows. \`"namedEntities": false\` removes them.`,
  body: UpdateNamedEntities,
  answer: [NamedEntitiesEnabled, "Whether there are, or will be"],
});
const moderationRoute = changeRoute("moderation", {
  operationId: "update-media-moderation",
  summary: "Have a media scored for unwanted content",
  description:
    'What is said is read from the subtitles, which are made first if there are none. The scores appear in the media. `video.mediaAI.moderation.ready` follows, and `ai.moderation.flagged` if one is above the workspace\'s threshold. `"moderation": false` removes them.',
  body: UpdateModeration,
  answer: [ModerationEnabled, "Whether there are, or will be, scores"],
});
const clearRoute = createRoute({
  operationId: "clear-media-moderation",
  summary: "Let a held media play again",
  description:
    'Lifts the hold of a media that was flagged with `action: "block"`, and that of its clips. Scores stay, and hold it again only if they are asked for again. Without effect on a media that is not held.',
  method: "post",
  path: `${itemPath}/moderation/clear`,
  tags,
  security,
  request: { params },
  responses: {
    200: dataAnswer(ClearedModeration, "It is not held"),
    ...problemResponses("unauthorized", "forbidden", "media_not_found", "validation_failed"),
  },
});

/** Asks for a result, or removes it. @returns the media's id */
async function change(
  c: Context<AppContext>,
  { mediaId }: { mediaId: string },
  request: InsightRequest,
  { isWanted, replace = false }: { isWanted: boolean; replace?: boolean | undefined },
): Promise<string> {
  const key = { workspaceId: c.var.caller.workspaceId, assetId: mediaId.toLowerCase() };
  const after = (work: Promise<unknown>) => c.executionCtx.waitUntil(work);
  const now = new Date();
  if (isWanted) await requestInsight(c.env, key, request, { replace, now, after });
  else await removeInsight(c.env, key, request.kind, { now, after });
  return key.assetId;
}

/** Results of AI that are made of a media. @param forgetPlayback drops this isolate's cached playback of an ID */
export const insightRoutes = ({ forgetPlayback }: { forgetPlayback: (playbackId: string) => void }) =>
  newRouter()
    .openapi(summaryRoute, async (c) => {
      const { generate, summaryLength, replace } = c.req.valid("json");
      const wanted = { isWanted: generate, replace };
      const mediaId = await change(c, c.req.valid("param"), summaryRequest({ summaryLength }), wanted);
      return c.json(success({ mediaId, isSummaryEnabled: generate }), 200);
    })
    .openapi(readSummaryRoute, async (c) => {
      const assetId = c.req.valid("param").mediaId.toLowerCase();
      const found = await findAsset(openDatabase(c.env.DB), c.var.caller.workspaceId, assetId);
      const { insights } = orNotFound(found, "media_not_found");
      const summary = insights.find(({ kind }) => kind === "summary");
      if (summary === undefined)
        throw new Problem("summary_not_enabled", "ask for one with PATCH /v1/on-demand/{mediaId}/summary");
      if (summary.status === "failed")
        throw new Problem("summary_not_enabled", `the summary could not be made: ${summary.errorMessage ?? ""}`);
      const text = summary.result !== null && "summary" in summary.result ? summary.result.summary : "";
      return c.json(success(text), 200);
    })
    .openapi(chaptersRoute, async (c) => {
      const { chapters, replace } = c.req.valid("json");
      const mediaId = await change(c, c.req.valid("param"), CHAPTERS, { isWanted: chapters, replace });
      return c.json(success({ mediaId, isChaptersEnabled: chapters }), 200);
    })
    .openapi(entitiesRoute, async (c) => {
      const { namedEntities, replace } = c.req.valid("json");
      const mediaId = await change(c, c.req.valid("param"), NAMED_ENTITIES, { isWanted: namedEntities, replace });
      return c.json(success({ mediaId, isNamedEntitiesEnabled: namedEntities }), 200);
    })
    .openapi(moderationRoute, async (c) => {
      const { moderation, replace } = c.req.valid("json");
      const isWanted = moderation !== false;
      const { moderationThreshold: threshold } = await settingsOf(openDatabase(c.env.DB), c.var.caller.workspaceId);
      const order = { type: "audio", action: "none", ...(isWanted ? moderation : {}), threshold } as const;
      const mediaId = await change(c, c.req.valid("param"), moderationRequest(order), { isWanted, replace });
      return c.json(success({ mediaId, isModerationEnabled: isWanted }), 200);
    })
    .openapi(clearRoute, async (c) => {
      const key = { workspaceId: c.var.caller.workspaceId, assetId: c.req.valid("param").mediaId.toLowerCase() };
      const cleared = await clearHold(c.env, key, new Date());
      for (const id of cleared.playbackIds) forgetPlayback(id);
      c.executionCtx.waitUntil(cleared.committed.wake());
      return c.json(success({ mediaId: key.assetId, isHeld: false as const }), 200);
    });

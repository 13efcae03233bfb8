import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { PlaybackIdRecord } from "../../records/playback-id.ts";
import { openDatabase } from "../../platform/database.ts";
import { dataAnswer, DONE, doneAnswer, security, success } from "../../platform/http/answers.ts";
import { answerOnce, IdempotencyHeaders } from "../../platform/http/idempotency.ts";
import { json, problemResponses } from "../../platform/http/openapi.ts";
import { orNotFound } from "../../platform/http/problems.ts";
import { uuidParam } from "../../platform/http/requests.ts";
import { type AppContext, newRouter } from "../../platform/http/router.ts";
import {
  type AccessRestrictions,
  OPEN_RESTRICTIONS,
  readRules,
  RulesRecord,
  UpdateDomainRules,
  UpdateUserAgentRules,
  warningsOfChange,
} from "../../tenancy/access/index.ts";
import { findAsset } from "../assets/repository.ts";
import { toPlaybackId } from "../assets/to-playback-id.ts";
import { createPlaybackId } from "./create-playback-id.ts";
import { deletePlaybackId } from "./delete-playback-id.ts";
import { CreatedPlaybackId, CreatePlaybackId } from "./schemas.ts";
import { updateRestrictions } from "./update-restrictions.ts";

const tags = ["Playback"];
const path = "/v1/on-demand/{mediaId}/playback-ids";
const itemPath = `${path}/{playbackId}` as const;
const mediaParams = z.object({ mediaId: uuidParam("mediaId") });
const params = mediaParams.extend({ playbackId: uuidParam("playbackId") });
const mediaProblems = problemResponses("unauthorized", "forbidden", "media_not_found", "validation_failed");
const problems = problemResponses("unauthorized", "forbidden", "playback_not_found", "validation_failed");

const createRouteDefinition = createRoute({
  operationId: "create-media-playback-id",
  summary: "Add a playback ID",
  description: "Another address of the same media, with access rules of its own.",
  method: "post",
  path,
  tags,
  security,
  request: {
    params: mediaParams,
    headers: IdempotencyHeaders,
    body: { required: true, content: json(CreatePlaybackId) },
  },
  responses: {
    201: dataAnswer(CreatedPlaybackId, "The playback ID"),
    ...problemResponses(
      "unauthorized",
      "forbidden",
      "media_not_found",
      "playback_id_limit_reached",
      "idempotency_conflict",
      "validation_failed",
    ),
  },
});
const listRoute = createRoute({
  operationId: "list-playback-ids",
  summary: "All playback IDs of a media",
  description: "Oldest first, in one page.",
  method: "get",
  path,
  tags,
  security,
  request: { params: mediaParams },
  responses: { 200: dataAnswer(z.array(PlaybackIdRecord), "The playback IDs"), ...mediaProblems },
});
const getRoute = createRoute({
  operationId: "get-playback-id",
  summary: "One playback ID of a media",
  description: "Its access policy and restrictions.",
  method: "get",
  path: itemPath,
  tags,
  security,
  request: { params },
  responses: { 200: dataAnswer(PlaybackIdRecord, "The playback ID"), ...problems },
});
const deleteRoute = createRoute({
  operationId: "delete-media-playback-id",
  summary: "Remove a playback ID of a media",
  description: "Playback at its address ends within 10 s. The others stay.",
  method: "delete",
  path,
  tags,
  security,
  request: { params: mediaParams, query: z.object({ playbackId: z.uuid() }) },
  responses: { 200: doneAnswer("Removed; it plays no longer"), ...problems },
});
const domainsRoute = createRoute({
  operationId: "update-domain-restrictions",
  summary: "Replace the domain rules",
  description: "They are checked against the headers `Origin` and `Referer`, and act within 10 s.",
  method: "patch",
  path: `${itemPath}/domains`,
  tags,
  security,
  request: { params, body: { required: true, content: json(UpdateDomainRules) } },
  responses: { 200: dataAnswer(RulesRecord, "The rules as they are now"), ...problems },
});
const userAgentsRoute = createRoute({
  operationId: "update-user-agent-restrictions",
  summary: "Replace the user-agent rules",
  description: "They are checked against parts of the header `User-Agent`, and act within 10 s.",
  method: "patch",
  path: `${itemPath}/user-agents`,
  tags,
  security,
  request: { params, body: { required: true, content: json(UpdateUserAgentRules) } },
  responses: { 200: dataAnswer(RulesRecord, "The rules as they are now"), ...problems },
});

type RouteContext = Context<AppContext>;
const keyOf = (c: RouteContext, mediaId: string) => ({
  workspaceId: c.var.caller.workspaceId,
  assetId: mediaId.toLowerCase(),
});

async function playbackIdsOf(c: RouteContext, mediaId: string) {
  const { workspaceId, assetId } = keyOf(c, mediaId);
  return (await findAsset(openDatabase(c.env.DB), workspaceId, assetId))?.playbackIds ?? null;
}

/** @throws {Problem} playback_not_found */
async function requirePlaybackId(c: RouteContext, { mediaId, playbackId }: z.infer<typeof params>) {
  const all = await playbackIdsOf(c, mediaId);
  return orNotFound(
    all?.find(({ id }) => id === playbackId.toLowerCase()),
    "playback_not_found",
  );
}

/** @param forgetPlayback drops this isolate's cached playback of an ID */
export function mediaPlaybackRoutes({ forgetPlayback }: { forgetPlayback: (playbackId: string) => void }) {
  async function replaceRules<Kind extends keyof AccessRestrictions>(
    c: RouteContext,
    place: z.infer<typeof params>,
    kind: Kind,
    body: Parameters<typeof readRules>[0],
  ): Promise<AccessRestrictions[Kind]> {
    const rules = readRules(body);
    if (rules === null) {
      const { accessRestrictions } = await requirePlaybackId(c, place);
      return (accessRestrictions ?? OPEN_RESTRICTIONS)[kind];
    }
    const playbackId = place.playbackId.toLowerCase();
    const changed = await updateRestrictions(c.env, keyOf(c, place.mediaId), playbackId, { [kind]: rules }, new Date());
    const { before, restrictions, committed } = orNotFound(changed, "playback_not_found");
    c.set("warnings", warningsOfChange(body, before[kind]));
    forgetPlayback(playbackId);
    c.executionCtx.waitUntil(committed.wake());
    return restrictions[kind];
  }

  return newRouter()
    .openapi(createRouteDefinition, (c) => {
      const { assetId } = keyOf(c, c.req.valid("param").mediaId);
      const operation = { name: `POST /v1/on-demand/${assetId}/playback-ids`, isSecret: false };
      return answerOnce(c, operation, (context) => createPlaybackId(assetId, c.req.valid("json"), context));
    })
    .openapi(listRoute, async (c) => {
      const all = orNotFound(await playbackIdsOf(c, c.req.valid("param").mediaId), "media_not_found");
      return c.json(success(all.map(toPlaybackId)), 200);
    })
    .openapi(getRoute, async (c) =>
      c.json(success(toPlaybackId(await requirePlaybackId(c, c.req.valid("param")))), 200),
    )
    .openapi(deleteRoute, async (c) => {
      const key = keyOf(c, c.req.valid("param").mediaId);
      const playbackId = c.req.valid("query").playbackId.toLowerCase();
      const committed = await deletePlaybackId(c.env, key, playbackId, new Date());
      c.executionCtx.waitUntil(orNotFound(committed, "playback_not_found").wake());
      forgetPlayback(playbackId);
      return c.json(DONE, 200);
    })
    .openapi(domainsRoute, async (c) =>
      c.json(success(await replaceRules(c, c.req.valid("param"), "domains", c.req.valid("json"))), 200),
    )
    .openapi(userAgentsRoute, async (c) =>
      c.json(success(await replaceRules(c, c.req.valid("param"), "userAgents", c.req.valid("json"))), 200),
    );
}

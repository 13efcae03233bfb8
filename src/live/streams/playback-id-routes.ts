import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { dataAnswer, DONE, doneAnswer, security, success } from "../../platform/http/answers.ts";
import { answerOnce, IdempotencyHeaders } from "../../platform/http/idempotency.ts";
import { json, problemResponses } from "../../platform/http/openapi.ts";
import { orNotFound } from "../../platform/http/problems.ts";
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
import { addPlaybackId, isOnlyPublic } from "./add-playback-id.ts";
import { removePlaybackId } from "./remove-playback-id.ts";
import { findPlaybackId } from "./repository.ts";
import { keyOf, playbackParams, streamParams } from "./route-parts.ts";
import { restrictPlaybackId } from "./restrict-playback-id.ts";
import { CreateLivePlaybackId } from "./schemas.ts";
import { LivePlaybackIdRecord } from "../../records/playback-id.ts";
import { toPlaybackId } from "./to-stream.ts";

const tags = ["Live playback"];
const path = "/v1/live/streams/{streamId}/playback-ids";
const problems = problemResponses("unauthorized", "forbidden", "stream_playback_not_found", "validation_failed");

const createRouteDefinition = createRoute({
  operationId: "create-playbackId-of-stream",
  summary: "Add a playback ID",
  description: "Another address of the same stream, with access rules of its own, which can be removed by itself.",
  method: "post",
  path,
  tags,
  security,
  request: {
    params: streamParams,
    headers: IdempotencyHeaders,
    body: { required: true, content: json(CreateLivePlaybackId) },
  },
  responses: {
    201: dataAnswer(LivePlaybackIdRecord, "The playback ID"),
    ...problemResponses(
      "unauthorized",
      "forbidden",
      "stream_not_found",
      "playback_id_limit_reached",
      "idempotency_conflict",
      "validation_failed",
    ),
  },
});
const getRoute = createRoute({
  operationId: "get-live-stream-playback-id",
  summary: "One playback ID",
  description: "Its access policy, and its restrictions if it has any.",
  method: "get",
  path: `${path}/{playbackId}`,
  tags,
  security,
  request: { params: playbackParams },
  responses: { 200: dataAnswer(LivePlaybackIdRecord, "The playback ID"), ...problems },
});
const deleteRoute = createRoute({
  operationId: "delete-playbackId-of-stream",
  summary: "Remove a playback ID",
  description: "Playback at its address ends at once. The others stay.",
  method: "delete",
  path,
  tags,
  security,
  request: { params: streamParams, query: z.object({ playbackId: z.uuid() }) },
  responses: { 200: doneAnswer("Removed; it plays no longer"), ...problems },
});

const domainsRoute = createRoute({
  operationId: "update-live-domain-restrictions",
  summary: "Replace the domain rules",
  description:
    "They are checked against the headers `Origin` and `Referer`, and act within 10 s. A recording or clip begins with the stream's rules, and has its own from then on.",
  method: "patch",
  path: `${path}/{playbackId}/domains`,
  tags,
  security,
  request: { params: playbackParams, body: { required: true, content: json(UpdateDomainRules) } },
  responses: { 200: dataAnswer(RulesRecord, "The rules as they are now"), ...problems },
});
const userAgentsRoute = createRoute({
  operationId: "update-live-user-agent-restrictions",
  summary: "Replace the user-agent rules",
  description: "They are checked against parts of the header `User-Agent`, and act within 10 s.",
  method: "patch",
  path: `${path}/{playbackId}/user-agents`,
  tags,
  security,
  request: { params: playbackParams, body: { required: true, content: json(UpdateUserAgentRules) } },
  responses: { 200: dataAnswer(RulesRecord, "The rules as they are now"), ...problems },
});

async function replaceRules<Kind extends keyof AccessRestrictions>(
  c: Context<AppContext>,
  { streamId, playbackId }: z.infer<typeof playbackParams>,
  kind: Kind,
  body: Parameters<typeof readRules>[0],
): Promise<AccessRestrictions[Kind]> {
  const key = keyOf(c, streamId);
  const id = playbackId.toLowerCase();
  const rules = readRules(body);
  if (rules === null) {
    const found = orNotFound(await findPlaybackId(c.env, key, id), "stream_playback_not_found");
    return (found.accessRestrictions ?? OPEN_RESTRICTIONS)[kind];
  }
  const changed = await restrictPlaybackId(c.env, key, id, { [kind]: rules }, new Date());
  const { before, restrictions, committed } = orNotFound(changed, "stream_playback_not_found");
  c.set("warnings", warningsOfChange(body, before[kind]));
  c.executionCtx.waitUntil(committed.wake());
  return restrictions[kind];
}

/** The contract's default is `public`, whatever the stream's other playback IDs are. */
const PUBLIC_BY_DEFAULT = {
  field: "accessPolicy",
  message:
    "`accessPolicy` is absent and became `public`: no other playback ID of the stream is; if not everybody may watch, remove this one and send `private`",
};

export const livePlaybackRoutes = newRouter()
  .openapi(createRouteDefinition, async (c) => {
    const body = c.req.valid("json");
    const key = keyOf(c, c.req.valid("param").streamId);
    const operation = { name: `POST /v1/live/streams/${key.streamId}/playback-ids`, isSecret: false };
    const answer = await answerOnce(c, operation, (context) => addPlaybackId(key.streamId, body, context));
    const [id] = c.get("createdIds") ?? [];
    if (body.accessPolicy === undefined && id !== undefined && (await isOnlyPublic(c.env, key, id)))
      c.set("warnings", [PUBLIC_BY_DEFAULT]);
    return answer;
  })
  .openapi(getRoute, async (c) => {
    const { streamId, playbackId } = c.req.valid("param");
    const found = await findPlaybackId(c.env, keyOf(c, streamId), playbackId.toLowerCase());
    return c.json(success(toPlaybackId(orNotFound(found, "stream_playback_not_found"))), 200);
  })
  .openapi(deleteRoute, async (c) => {
    const key = keyOf(c, c.req.valid("param").streamId);
    const { playbackId } = c.req.valid("query");
    const committed = await removePlaybackId(c.env, key, playbackId.toLowerCase(), new Date());
    c.executionCtx.waitUntil(orNotFound(committed, "stream_playback_not_found").wake());
    return c.json(DONE, 200);
  })
  .openapi(domainsRoute, async (c) =>
    c.json(success(await replaceRules(c, c.req.valid("param"), "domains", c.req.valid("json"))), 200),
  )
  .openapi(userAgentsRoute, async (c) =>
    c.json(success(await replaceRules(c, c.req.valid("param"), "userAgents", c.req.valid("json"))), 200),
  );

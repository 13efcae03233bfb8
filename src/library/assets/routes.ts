import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { MediaAnswer } from "../../records/media.ts";
import { openDatabase } from "../../platform/database.ts";
import {
  dataAnswer,
  DONE,
  doneAnswer,
  envelopeAnswer,
  pageAnswer,
  security,
  success,
  successPage,
} from "../../platform/http/answers.ts";
import { answerOnce, IdempotencyHeaders } from "../../platform/http/idempotency.ts";
import { json, problemResponses } from "../../platform/http/openapi.ts";
import { PageQuery, pagination } from "../../platform/http/pagination.ts";
import { orNotFound } from "../../platform/http/problems.ts";
import { defined } from "../../platform/http/record.ts";
import { uuidParam } from "../../platform/http/requests.ts";
import { type AppContext, newRouter, reportAllIssues } from "../../platform/http/router.ts";
import { allowsPrivateNetwork } from "../../platform/network/index.ts";
import { mediaFor } from "./answer-media.ts";
import { createAsset, toMp4Support } from "./create-asset.ts";
import { creationProblems } from "./creation-problems.ts";
import { deleteAsset } from "./delete-asset.ts";
import { findAsset, listAssets } from "./repository.ts";
import {
  CreateAsset,
  CreatedMedia,
  InputInfo,
  inputIssues,
  requireInputs,
  UpdateAsset,
  UpdateMp4Support,
  UpdateSourceAccess,
} from "./schemas.ts";
import { toInputInfo } from "./to-media.ts";
import { updateAsset } from "./update-asset.ts";
import { updateMp4Support } from "./update-mp4-support.ts";
import { updateSourceAccess } from "./update-source-access.ts";

const tags = ["Media"];
const path = "/v1/on-demand";
const itemPath = `${path}/{mediaId}` as const;
const params = z.object({ mediaId: uuidParam("mediaId") });

const createRouteDefinition = createRoute({
  operationId: "create-media",
  summary: "Create a media from a URL",
  description:
    "Processing starts at once; a standard MP4 plays within a second. Poll the media, or subscribe to `asset.ready` and `asset.errored`.",
  method: "post",
  path,
  tags,
  security,
  request: { headers: IdempotencyHeaders, body: { required: true, content: json(CreateAsset) } },
  responses: {
    201: envelopeAnswer(
      { playback_id: z.uuid(), data: CreatedMedia },
      "Accepted; processing has started. `playback_id` plays as soon as something is playable.",
    ),
    ...creationProblems("clip_limit_reached"),
  },
});

const listRoute = createRoute({
  operationId: "list-media",
  summary: "Page through media",
  description: "By time of creation. Recordings and clips of live streams are media too.",
  method: "get",
  path,
  tags,
  security,
  request: { query: PageQuery },
  responses: {
    200: pageAnswer(MediaAnswer, "One page of media"),
    ...problemResponses("unauthorized", "forbidden", "validation_failed"),
  },
});

const itemProblems = problemResponses("unauthorized", "forbidden", "media_not_found", "validation_failed");
const getRoute = createRoute({
  operationId: "get-media",
  summary: "One media",
  description:
    "Its state, its tracks and its playback IDs. `progress` shows how far processing is, `error` why it has failed.",
  method: "get",
  path: itemPath,
  tags,
  security,
  request: { params },
  responses: { 200: dataAnswer(MediaAnswer, "The media"), ...itemProblems },
});
const updateRoute = createRoute({
  operationId: "updated-media",
  summary: `Change ${Object.keys(UpdateAsset.shape).join(", ")}`,
  description: "Omitted fields stay as they are; `metadata` is replaced as a whole.",
  method: "patch",
  path: itemPath,
  tags,
  security,
  request: { params, body: { required: true, content: json(UpdateAsset) } },
  responses: { 200: dataAnswer(MediaAnswer, "The media as it is now"), ...itemProblems },
});
const sourceAccessRoute = createRoute({
  operationId: "updated-source-access",
  summary: "Let viewers download the original file",
  description:
    "At `/{playbackId}/source`, under the playback ID's access rules, once the media is `Ready`. Playback IDs with DRM or a `resolution` do not offer it. Announced by `video.media.source.ready` and `video.media.source.deleted`.",
  method: "patch",
  path: `${itemPath}/source-access`,
  tags,
  security,
  request: { params, body: { required: true, content: json(UpdateSourceAccess) } },
  responses: { 200: dataAnswer(MediaAnswer, "The media as it is now"), ...itemProblems },
});
const mp4SupportRoute = createRoute({
  operationId: "updated-mp4Support",
  summary: "Offer files for download",
  description:
    "`capped_4k`: picture (at most 2160p) and sound at `/{playbackId}/capped-4k.mp4`; `audioOnly`: the sound at `/{playbackId}/audio.m4a`, both once the media is `Ready`. Announced by `video.media.mp4Support.ready`.",
  method: "patch",
  path: `${itemPath}/update-mp4Support`,
  tags,
  security,
  request: { params, body: { required: true, content: json(UpdateMp4Support) } },
  responses: {
    200: dataAnswer(MediaAnswer, "The media as it is now"),
    ...problemResponses(
      "mp4_support_exists",
      "mp4_support_with_drm",
      "unauthorized",
      "forbidden",
      "media_not_found",
      "validation_failed",
    ),
  },
});
const deleteRoute = createRoute({
  operationId: "delete-media",
  summary: "Remove a media for good",
  description: "Playback ends at once, and every stored byte is deleted.",
  method: "delete",
  path: itemPath,
  tags,
  security,
  request: { params },
  responses: { 200: doneAnswer("Removed; playback has ended"), ...itemProblems },
});
const inputInfoRoute = createRoute({
  operationId: "retrieveMediaInputInfo",
  summary: "Source URL and probed tracks",
  description: "The tracks are known once the source has been probed.",
  method: "get",
  path: `${itemPath}/input-info`,
  tags,
  security,
  request: { params },
  responses: { 200: dataAnswer(InputInfo, "The source"), ...itemProblems },
});

const keyOf = (c: Context<AppContext>, mediaId: string) => ({
  workspaceId: c.var.caller.workspaceId,
  assetId: mediaId.toLowerCase(),
});

/** @throws {Problem} media_not_found */
async function requireAsset(c: Context<AppContext>, mediaId: string) {
  const { workspaceId, assetId } = keyOf(c, mediaId);
  return orNotFound(await findAsset(openDatabase(c.env.DB), workspaceId, assetId), "media_not_found");
}

/** @param forgetPlayback drops this isolate's cached playback of an ID */
export const assetRoutes = ({ forgetPlayback }: { forgetPlayback: (playbackId: string) => void }) =>
  newRouter()
    .openapi(
      createRouteDefinition,
      async (c) => {
        const body = c.req.valid("json");
        const source = requireInputs(body, allowsPrivateNetwork(c.env));
        const operation = { name: `POST ${path}`, isSecret: false };
        return await answerOnce(c, operation, (context) => createAsset(body, source, context));
      },
      reportAllIssues((body, env) => inputIssues(body, allowsPrivateNetwork(env))),
    )
    .openapi(listRoute, async (c) => {
      const { limit, offset, orderBy } = c.req.valid("query");
      const page = { page: offset, limit, order: orderBy };
      const { records, total } = await listAssets(openDatabase(c.env.DB), c.var.caller.workspaceId, page);
      return c.json(successPage(records.map(mediaFor(c)), pagination(total, offset, limit)), 200);
    })
    .openapi(getRoute, async (c) => {
      return c.json(success(mediaFor(c)(await requireAsset(c, c.req.valid("param").mediaId))), 200);
    })
    .openapi(updateRoute, async (c) => {
      const { mediaId } = c.req.valid("param");
      const change = defined(c.req.valid("json"));
      if (Object.keys(change).length === 0) return c.json(success(mediaFor(c)(await requireAsset(c, mediaId))), 200);
      const updated = await updateAsset(c.env, keyOf(c, mediaId), change, new Date());
      const { record, committed } = orNotFound(updated, "media_not_found");
      c.executionCtx.waitUntil(committed.wake());
      return c.json(success(mediaFor(c)(record)), 200);
    })
    .openapi(sourceAccessRoute, async (c) => {
      const { mediaId } = c.req.valid("param");
      const updated = await updateSourceAccess(c.env, keyOf(c, mediaId), c.req.valid("json").sourceAccess, new Date());
      const { record, committed } = orNotFound(updated, "media_not_found");
      for (const { id } of record.playbackIds) forgetPlayback(id);
      c.executionCtx.waitUntil(committed.wake());
      return c.json(success(mediaFor(c)(record)), 200);
    })
    .openapi(mp4SupportRoute, async (c) => {
      const asked = toMp4Support(c.req.valid("json").mp4Support);
      const updated = await updateMp4Support(c.env, keyOf(c, c.req.valid("param").mediaId), asked, new Date());
      const { record, committed } = orNotFound(updated, "media_not_found");
      c.executionCtx.waitUntil(committed.wake());
      return c.json(success(mediaFor(c)(record)), 200);
    })
    .openapi(deleteRoute, async (c) => {
      const key = keyOf(c, c.req.valid("param").mediaId);
      const deleted = await deleteAsset(c.env, key, new Date(), (work) => c.executionCtx.waitUntil(work));
      for (const playbackId of orNotFound(deleted, "media_not_found")) forgetPlayback(playbackId);
      return c.json(DONE, 200);
    })
    .openapi(inputInfoRoute, async (c) => {
      return c.json(success(toInputInfo(await requireAsset(c, c.req.valid("param").mediaId))), 200);
    });

import { createRoute, z } from "@hono/zod-openapi";
import { MediaAnswer } from "../../records/media.ts";
import { openDatabase } from "../../platform/database.ts";
import { pageAnswer, security, successPage } from "../../platform/http/answers.ts";
import { problemResponses } from "../../platform/http/openapi.ts";
import { PageQuery, pagination } from "../../platform/http/pagination.ts";
import { orNotFound } from "../../platform/http/problems.ts";
import { uuidParam } from "../../platform/http/requests.ts";
import { newRouter } from "../../platform/http/router.ts";
import { mediaFor } from "./answer-media.ts";
import { findAsset, listAssets } from "./repository.ts";

const listRoute = createRoute({
  operationId: "get-media-clips",
  summary: "Page through the clips of a media",
  description: "By time of creation. They are media with `sourceMediaId` set.",
  method: "get",
  path: "/v1/on-demand/{mediaId}/media-clips",
  tags: ["Media"],
  security,
  request: { params: z.object({ mediaId: uuidParam("mediaId") }), query: PageQuery },
  responses: {
    200: pageAnswer(MediaAnswer, "One page of clips"),
    ...problemResponses("unauthorized", "forbidden", "media_not_found", "validation_failed"),
  },
});

export const mediaClipsRoute = newRouter().openapi(listRoute, async (c) => {
  const { limit, offset, orderBy } = c.req.valid("query");
  const db = openDatabase(c.env.DB);
  const { workspaceId } = c.var.caller;
  const mediaId = c.req.valid("param").mediaId.toLowerCase();
  orNotFound(await findAsset(db, workspaceId, mediaId), "media_not_found");
  const page = { page: offset, limit, order: orderBy, clipsOf: { mediaId } };
  const { records, total } = await listAssets(db, workspaceId, page);
  return c.json(successPage(records.map(mediaFor(c)), pagination(total, offset, limit)), 200);
});

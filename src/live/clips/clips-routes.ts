import { createRoute, z } from "@hono/zod-openapi";
import { listAssets, mediaFor } from "../../library/assets/index.ts";
import { MediaAnswer } from "../../records/media.ts";
import { openDatabase } from "../../platform/database.ts";
import { envelopeAnswer, pageAnswer, security, successPage, successWith } from "../../platform/http/answers.ts";
import { pattern } from "../../platform/http/fields.ts";
import { json, problemResponses } from "../../platform/http/openapi.ts";
import { PageQuery, pagination } from "../../platform/http/pagination.ts";
import { orNotFound } from "../../platform/http/problems.ts";
import { publicUrlOf } from "../../platform/http/requests.ts";
import { newRouter } from "../../platform/http/router.ts";
import { createClip } from "./create-clip.ts";
import { keyOf, streamParams } from "../streams/route-parts.ts";
import { CreateClip } from "./schemas.ts";

/** Some clients send a stream's id in UUID form. */
const livestreamId = z
  .union([z.uuid(), pattern(/^[0-9a-fA-F]{32}$/, "32 hexadecimal digits")])
  .transform((id) => id.replaceAll("-", "").toLowerCase())
  .openapi({
    param: { name: "livestreamId", in: "path" },
    type: "string",
    example: "61a264dcc447b63da6fb79ef925cd76d",
  });

const listRoute = createRoute({
  operationId: "list-live-clips",
  summary: "Page through the clips of a stream",
  description: "By time of creation. They are media with `streamId` set.",
  method: "get",
  path: "/v1/on-demand/{livestreamId}/live-clips",
  tags: ["Manage live stream"],
  security,
  request: { params: z.object({ livestreamId }), query: PageQuery },
  responses: {
    200: pageAnswer(MediaAnswer, "One page of clips; empty for an unknown stream"),
    ...problemResponses("unauthorized", "forbidden", "validation_failed"),
  },
});

const createRouteDefinition = createRoute({
  operationId: "create-live-clip",
  summary: "Make a clip of the broadcast on air, or of the last one",
  description: "The same segments with the same access policy are one media, however often they are requested.",
  method: "post",
  path: "/v1/live/streams/{streamId}/clips",
  tags: ["Manage live stream"],
  security,
  request: { params: streamParams, body: { required: true, content: json(CreateClip) } },
  responses: {
    201: envelopeAnswer({ playback_id: z.uuid(), data: MediaAnswer }, "The clip; `Ready` once its segments are copied"),
    ...problemResponses(
      "not_ready",
      "unauthorized",
      "forbidden",
      "stream_not_found",
      "validation_failed",
      "clip_limit_reached",
    ),
  },
});

export const clipRoutes = newRouter().openapi(createRouteDefinition, async (c) => {
  const { startTime, endTime, accessPolicy } = c.req.valid("json");
  const request = { startSeconds: startTime, endSeconds: endTime, access: accessPolicy ?? null };
  const key = keyOf(c, c.req.valid("param").streamId);
  const clip = orNotFound(await createClip(c.env, key, request, publicUrlOf(c)), "stream_not_found");
  const data = mediaFor(c)(clip);
  c.set("createdIds", [data.id]);
  return c.json(successWith({ playback_id: data.playbackIds[0]!.id, data }), 201);
});

clipRoutes.openapi(listRoute, async (c) => {
  const { limit, offset, orderBy } = c.req.valid("query");
  const { records, total } = await listAssets(openDatabase(c.env.DB), c.var.caller.workspaceId, {
    page: offset,
    limit,
    order: orderBy,
    clipsOf: { streamId: c.req.valid("param").livestreamId },
  });
  return c.json(successPage(records.map(mediaFor(c)), pagination(total, offset, limit)), 200);
});

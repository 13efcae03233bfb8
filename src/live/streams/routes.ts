import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import {
  dataAnswer,
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
import { publicUrlOf } from "../../platform/http/requests.ts";
import { type AppContext, newRouter } from "../../platform/http/router.ts";
import { createStream } from "./create-stream.ts";
import { findStream, listStreams, type StreamRecord } from "./repository.ts";
import {
  answerAction,
  answerChanged,
  keyOf,
  streamItemProblems as itemProblems,
  streamParams as params,
} from "./route-parts.ts";
import { CreateStream, StreamAnswer, StreamDetail, UpdateStream } from "./schemas.ts";
import { streamActionRoutes } from "./stream-action-routes.ts";
import { toTargetRecord } from "./to-stream.ts";
import { updateStream } from "./update-stream.ts";
import { withIngest } from "./with-ingest.ts";

const path = "/v1/live/streams";
const itemPath = `${path}/{streamId}` as const;
const startTags = ["Start live stream"];
const tags = ["Manage live stream"];

const creation = {
  summary: "Create a live stream",
  method: "post",
  tags: startTags,
  security,
  request: { headers: IdempotencyHeaders, body: { required: true, content: json(CreateStream) } },
  responses: {
    201: envelopeAnswer(
      {
        stream_id: z.string().openapi({ example: "4f1a90c7d26e4b85a3f7108be59d62c4" }),
        stream_key: z.string().openapi({
          example: "5be2071fa98c4d36b07e1fd52c94a680k4f1a90c7d26e4b85a3f7108be59d62c4",
        }),
        playback_id: z.uuid(),
        data: StreamAnswer,
      },
      "Created. Broadcast to one of the addresses of `ingest`; `playback_id` plays while it is on air",
    ),
    ...problemResponses(
      "stream_limit_reached",
      "unauthorized",
      "forbidden",
      "idempotency_conflict",
      "validation_failed",
    ),
  },
} as const;
const createRouteDefinition = createRoute({
  ...creation,
  operationId: "create-new-stream",
  description:
    "Every field has a default: `{}` creates a public stream. Its key and its playback IDs stay the same for all broadcasts.",
  path,
});
const createRouteShort = createRoute({
  ...creation,
  operationId: "create-live-stream",
  summary: "Create a live stream (short form of `POST /v1/live/streams`)",
  path: "/v1/live-stream",
  description: "The same as `POST /v1/live/streams`.",
});
const listRoute = createRoute({
  operationId: "get-all-streams",
  summary: "Page through streams",
  description: "By time of creation, each with its simulcast targets and the media ids of its recordings.",
  method: "get",
  path,
  tags,
  security,
  request: { query: PageQuery },
  responses: {
    200: pageAnswer(StreamDetail, "One page of streams"),
    ...problemResponses("unauthorized", "forbidden", "validation_failed"),
  },
});
const getRoute = createRoute({
  operationId: "get-live-stream-by-id",
  summary: "One stream, with its simulcast targets and recordings",
  description:
    "With its state, its key, the addresses for encoders, its simulcast targets and the media ids of its recordings.",
  method: "get",
  path: itemPath,
  tags,
  security,
  request: { params },
  responses: { 200: dataAnswer(StreamDetail, "The stream"), ...itemProblems },
});
const updateRoute = createRoute({
  operationId: "update-live-stream",
  summary: "Change metadata, reconnectWindow, allowViewerClips",
  description:
    "Omitted fields stay as they are; `metadata` is replaced as a whole. Applies to a current broadcast too.",
  method: "patch",
  path: itemPath,
  tags,
  security,
  request: { params, body: { required: true, content: json(UpdateStream) } },
  responses: { 200: dataAnswer(StreamAnswer, "The stream as it is now"), ...itemProblems },
});
const deleteRoute = createRoute({
  operationId: "delete-live-stream",
  summary: "Remove a stream; its recordings stay",
  description: "A broadcaster is disconnected. Recordings and clips stay media.",
  method: "delete",
  path: itemPath,
  tags,
  security,
  request: { params },
  responses: { 200: doneAnswer("Removed; a broadcaster is cut off within 2 s"), ...itemProblems },
});
async function create(c: Context<AppContext>, body: CreateStream) {
  const operation = { name: `POST ${path}`, isSecret: true }; // of both routes
  return await answerOnce(c, operation, (context) => createStream(body, context));
}

async function streamDetails(c: Context<AppContext>, records: StreamRecord[]) {
  const streams = await withIngest(c.env, records, publicUrlOf(c), new Date());
  return records.map(({ stream, targets, mediaIds }, index) => ({
    ...streams[index]!,
    simulcastResponses: targets.map((target) => toTargetRecord(target, stream)),
    mediaIds,
  }));
}

export const streamRoutes = newRouter()
  .openapi(createRouteDefinition, (c) => create(c, c.req.valid("json")))
  .openapi(createRouteShort, (c) => create(c, c.req.valid("json")))
  .openapi(listRoute, async (c) => {
    const { limit, offset, orderBy } = c.req.valid("query");
    const page = { page: offset, limit, order: orderBy };
    const { records, total } = await listStreams(c.env, c.var.caller.workspaceId, page);
    const data = await streamDetails(c, records);
    return c.json(successPage(data, pagination(total, offset, limit)), 200);
  })
  .openapi(getRoute, async (c) => {
    const found = await findStream(c.env, c.var.caller.workspaceId, c.req.valid("param").streamId);
    const [stream] = await streamDetails(c, [orNotFound(found, "stream_not_found")]);
    return c.json(success(stream!), 200);
  })
  .openapi(updateRoute, async (c) => {
    const { reconnectWindow: reconnectWindowS, ...body } = c.req.valid("json");
    const change = defined({ ...body, reconnectWindowS });
    return await answerChanged(
      c,
      await updateStream(c.env, keyOf(c, c.req.valid("param").streamId), change, new Date()),
    );
  })
  .openapi(deleteRoute, (c) => answerAction(c, c.req.valid("param").streamId, "remove"));
streamRoutes.route("/", streamActionRoutes);

import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
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
import { publicUrlOf } from "../../platform/http/requests.ts";
import { type AppContext, newRouter } from "../../platform/http/router.ts";
import { createStream } from "./create-stream.ts";
import { ingestBases } from "./ingest-bases.ts";
import { ingestUrls } from "./ingest-urls.ts";
import { findStream, listStreams, type StreamRecord } from "./repository.ts";
import { rotateKey } from "./rotate-key.ts";
import { keyOf, streamParams as params } from "./route-parts.ts";
import { CreateStream, StreamAnswer, StreamDetail, UpdateStream } from "./schemas.ts";
import { actOnStream } from "./stream-actions.ts";
import { toStream, toTarget } from "./to-stream.ts";
import { updateStream } from "./update-stream.ts";
import { viewersOf } from "./viewers.ts";

const path = "/v1/live/streams";
const itemPath = `${path}/{streamId}` as const;
const startTags = ["Start live stream"];
const tags = ["Manage live stream"];
const itemProblems = problemResponses("unauthorized", "forbidden", "stream_not_found", "validation_failed");

const creation = {
  summary: "Create a live stream",
  method: "post",
  tags: startTags,
  security,
  request: { headers: IdempotencyHeaders, body: { required: true, content: json(CreateStream) } },
  responses: {
    201: envelopeAnswer(
      { stream_id: z.string(), stream_key: z.string(), playback_id: z.uuid(), data: StreamAnswer },
      "Created. Broadcast to one of the addresses of `ingest`; `playback_id` plays while it is on air",
    ),
    ...problemResponses("unauthorized", "forbidden", "idempotency_conflict", "validation_failed"),
  },
} as const;
const createRouteDefinition = createRoute({
  ...creation,
  operationId: "create-new-stream",
  path,
});
const createRouteShort = createRoute({
  ...creation,
  operationId: "create-live-stream",
  path: "/v1/live-stream",
  description: "The same as `POST /v1/live/streams`.",
});
const listRoute = createRoute({
  operationId: "get-all-streams",
  summary: "Page through streams",
  method: "get",
  path,
  tags,
  security,
  request: { query: PageQuery },
  responses: {
    200: pageAnswer(StreamAnswer, "One page of streams"),
    ...problemResponses("unauthorized", "forbidden", "validation_failed"),
  },
});
const getRoute = createRoute({
  operationId: "get-live-stream-by-id",
  summary: "One stream, with its simulcast targets and recordings",
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
  method: "delete",
  path: itemPath,
  tags,
  security,
  request: { params },
  responses: { 200: doneAnswer("Removed; a broadcaster is cut off within 2 s"), ...itemProblems },
});
const viewersRoute = createRoute({
  operationId: "get-live-stream-viewer-count-by-id",
  summary: "Current viewers",
  method: "get",
  path: `${itemPath}/viewer-count`,
  tags,
  security,
  request: { params },
  responses: { 200: dataAnswer(z.object({ views: z.int() }), "Playing sessions of the last 30 s"), ...itemProblems },
});
const enableRoute = createRoute({
  operationId: "enable-live-stream",
  summary: "Allow ingest again",
  method: "put",
  path: `${itemPath}/live-enable`,
  tags,
  security,
  request: { params },
  responses: { 200: doneAnswer("Enabled"), ...itemProblems, ...problemResponses("stream_enabled") },
});
const disableRoute = createRoute({
  operationId: "disable-live-stream",
  summary: "Refuse ingest, and end the broadcast",
  method: "put",
  path: `${itemPath}/live-disable`,
  tags,
  security,
  request: { params },
  responses: { 200: doneAnswer("Disabled"), ...itemProblems, ...problemResponses("stream_disabled") },
});
const finishRoute = createRoute({
  operationId: "complete-live-stream",
  summary: "End the broadcast",
  method: "put",
  path: `${itemPath}/finish`,
  tags,
  security,
  request: { params },
  responses: { 200: doneAnswer("Ended"), ...itemProblems, ...problemResponses("stream_not_active") },
});

const rotateRoute = createRoute({
  operationId: "rotate-live-stream-key",
  summary: "Give a stream another key",
  description:
    "`streamKey`, `srtSecret` and `srtPlaybackSecret` are new, and the old ones are refused at once. A broadcast under way goes on " +
    "until it ends or its connection breaks; `finish` ends it.",
  method: "post",
  path: `${itemPath}/rotate-key`,
  tags,
  security,
  request: { params },
  responses: { 200: dataAnswer(StreamAnswer, "The stream with its new secrets"), ...itemProblems },
});

async function create(c: Context<AppContext>, body: CreateStream) {
  const operation = { name: `POST ${path}`, isSecret: true }; // of both routes
  return (await answerOnce(c, operation, (context) => createStream(body, context))) as never;
}

/** Adds the current ingest addresses to streams. */
async function withIngest(c: Context<AppContext>, records: StreamRecord[]) {
  const bases = await ingestBases(openDatabase(c.env.DB), c.env, new Date());
  const publicUrl = publicUrlOf(c);
  return records.map((record) => ({ ...toStream(record), ingest: ingestUrls(bases, record.stream, publicUrl) }));
}

const find = async (c: Context<AppContext>, streamId: string): Promise<StreamRecord> =>
  orNotFound(await findStream(c.env, c.var.caller.workspaceId, streamId), "stream_not_found");

async function act(c: Context<AppContext>, streamId: string, action: Parameters<typeof actOnStream>[2]) {
  orNotFound(await actOnStream(c.env, keyOf(c, streamId), action), "stream_not_found");
  return c.json(DONE, 200);
}

/** Answers with a stream that was just changed. */
async function changed(c: Context<AppContext>, change: Awaited<ReturnType<typeof updateStream>>) {
  const { record, committed } = orNotFound(change, "stream_not_found");
  c.executionCtx.waitUntil(committed.wake());
  const [data] = await withIngest(c, [record]);
  return c.json(success(data!), 200);
}

export const streamRoutes = newRouter()
  .openapi(createRouteDefinition, (c) => create(c, c.req.valid("json")))
  .openapi(createRouteShort, (c) => create(c, c.req.valid("json")))
  .openapi(listRoute, async (c) => {
    const { limit, offset, orderBy } = c.req.valid("query");
    const page = { page: offset, limit, order: orderBy };
    const { records, total } = await listStreams(c.env, c.var.caller.workspaceId, page);
    return c.json(successPage(await withIngest(c, records), pagination(total, offset, limit)), 200);
  })
  .openapi(getRoute, async (c) => {
    const record = await find(c, c.req.valid("param").streamId);
    const [stream] = await withIngest(c, [record]);
    const { targets, mediaIds } = record;
    return c.json(success({ ...stream!, simulcastResponses: targets.map(toTarget), mediaIds }), 200);
  })
  .openapi(updateRoute, async (c) => {
    const { metadata, reconnectWindow: reconnectWindowS, allowViewerClips } = c.req.valid("json");
    const change = defined({ metadata, reconnectWindowS, allowViewerClips });
    return await changed(c, await updateStream(c.env, keyOf(c, c.req.valid("param").streamId), change, new Date()));
  })
  .openapi(rotateRoute, async (c) => {
    return await changed(c, await rotateKey(c.env, keyOf(c, c.req.valid("param").streamId), new Date()));
  })
  .openapi(deleteRoute, (c) => act(c, c.req.valid("param").streamId, "remove"))
  .openapi(viewersRoute, async (c) => {
    const { stream } = await find(c, c.req.valid("param").streamId);
    return c.json(success({ views: await viewersOf(c.env, stream) }), 200);
  })
  .openapi(enableRoute, (c) => act(c, c.req.valid("param").streamId, "enable"))
  .openapi(disableRoute, (c) => act(c, c.req.valid("param").streamId, "disable"))
  .openapi(finishRoute, (c) => act(c, c.req.valid("param").streamId, "finish"));

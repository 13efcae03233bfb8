import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { openDatabase } from "../../platform/database.ts";
import { sha256Hex } from "../../platform/crypto/hash.ts";
import { readIdempotencyKey } from "../../platform/http/idempotency.ts";
import { json, problemResponses } from "../../platform/http/openapi.ts";
import { PageQuery, pagination, Pagination } from "../../platform/http/pagination.ts";
import { type AppContext, newRouter } from "../../platform/http/router.ts";
import { createStream } from "./create-stream.ts";
import { ingestBases } from "./ingest-bases.ts";
import { ingestUrls } from "./ingest-urls.ts";
import { findStream, listStreams, type StreamRecord } from "./repository.ts";
import { rotateKey } from "./rotate-key.ts";
import { answer, done, keyOf, orNotFound, publicUrlOf, security, streamParams as params } from "./route-parts.ts";
import { CreateStream, StreamAnswer, StreamDetail, UpdateStream } from "./schemas.ts";
import { actOnStream } from "./stream-actions.ts";
import { toStream, toTarget } from "./to-stream.ts";
import { updateStream } from "./update-stream.ts";
import { viewersOf } from "./viewers.ts";

const startTags = ["Start live stream"];
const tags = ["Manage live stream"];
const itemProblems = problemResponses("unauthorized", "forbidden", "stream_not_found", "validation_failed");

const creation = {
  summary: "Create a live stream",
  method: "post",
  tags: startTags,
  security,
  request: {
    headers: z.object({
      "idempotency-key": z
        .string()
        .optional()
        .openapi({ description: "A repeat with the same key within 24 h gets the first answer" }),
    }),
    body: { required: true, content: json(CreateStream) },
  },
  responses: {
    201: {
      description: "Created. Broadcast to one of the addresses of `ingest`; `playback_id` plays while it is on air",
      content: json(
        z.object({
          success: z.literal(true),
          stream_id: z.string(),
          stream_key: z.string(),
          playback_id: z.uuid(),
          data: StreamAnswer,
        }),
      ),
    },
    ...problemResponses("unauthorized", "forbidden", "idempotency_conflict", "validation_failed"),
  },
} as const;
const createRouteDefinition = createRoute({
  ...creation,
  operationId: "create-new-stream",
  path: "/v1/live/streams",
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
  path: "/v1/live/streams",
  tags,
  security,
  request: { query: PageQuery },
  responses: {
    200: {
      description: "One page of streams",
      content: json(z.object({ success: z.literal(true), data: z.array(StreamAnswer), pagination: Pagination })),
    },
    ...problemResponses("unauthorized", "forbidden", "validation_failed"),
  },
});
const getRoute = createRoute({
  operationId: "get-live-stream-by-id",
  summary: "One stream, with its simulcast targets and recordings",
  method: "get",
  path: "/v1/live/streams/{streamId}",
  tags,
  security,
  request: { params },
  responses: { 200: answer(StreamDetail, "The stream"), ...itemProblems },
});
const updateRoute = createRoute({
  operationId: "update-live-stream",
  summary: "Change metadata, reconnectWindow, allowViewerClips",
  method: "patch",
  path: "/v1/live/streams/{streamId}",
  tags,
  security,
  request: { params, body: { required: true, content: json(UpdateStream) } },
  responses: { 200: answer(StreamAnswer, "The stream as it is now"), ...itemProblems },
});
const deleteRoute = createRoute({
  operationId: "delete-live-stream",
  summary: "Remove a stream; its recordings stay",
  method: "delete",
  path: "/v1/live/streams/{streamId}",
  tags,
  security,
  request: { params },
  responses: { 200: done("Removed; a broadcaster is cut off within 2 s"), ...itemProblems },
});
const viewersRoute = createRoute({
  operationId: "get-live-stream-viewer-count-by-id",
  summary: "Current viewers",
  method: "get",
  path: "/v1/live/streams/{streamId}/viewer-count",
  tags,
  security,
  request: { params },
  responses: { 200: answer(z.object({ views: z.int() }), "Playing sessions of the last 30 s"), ...itemProblems },
});
const enableRoute = createRoute({
  operationId: "enable-live-stream",
  summary: "Allow ingest again",
  method: "put",
  path: "/v1/live/streams/{streamId}/live-enable",
  tags,
  security,
  request: { params },
  responses: { 200: done("Enabled"), ...itemProblems, ...problemResponses("stream_enabled") },
});
const disableRoute = createRoute({
  operationId: "disable-live-stream",
  summary: "Refuse ingest, and end the broadcast",
  method: "put",
  path: "/v1/live/streams/{streamId}/live-disable",
  tags,
  security,
  request: { params },
  responses: { 200: done("Disabled"), ...itemProblems, ...problemResponses("stream_disabled") },
});
const finishRoute = createRoute({
  operationId: "complete-live-stream",
  summary: "End the broadcast",
  method: "put",
  path: "/v1/live/streams/{streamId}/finish",
  tags,
  security,
  request: { params },
  responses: { 200: done("Ended"), ...itemProblems, ...problemResponses("stream_not_active") },
});

const rotateRoute = createRoute({
  operationId: "rotate-live-stream-key",
  summary: "Give a stream another key",
  description:
    "`streamKey`, `srtSecret` and `srtPlaybackSecret` are new, and the old ones are refused at once. A broadcast under way goes on " +
    "until it ends or its connection breaks; `finish` ends it.",
  method: "post",
  path: "/v1/live/streams/{streamId}/rotate-key",
  tags,
  security,
  request: { params },
  responses: { 200: answer(StreamAnswer, "The stream with its new secrets"), ...itemProblems },
});

async function create(c: Context<AppContext>, body: CreateStream) {
  const key = readIdempotencyKey(c.req.header("idempotency-key"));
  // The two routes are one operation, so a repeat may come by the other one.
  const requestHash = key === null ? "" : await sha256Hex(`POST /v1/live/streams\n${await c.req.text()}`);
  const text = await createStream(body, {
    env: c.env,
    workspaceId: c.var.caller.workspaceId,
    publicUrl: publicUrlOf(c),
    now: new Date(),
    after: (work) => c.executionCtx.waitUntil(work),
    idempotency: key === null ? null : { key, requestHash },
  });
  c.set("createdIds", [(JSON.parse(text) as { stream_id: string }).stream_id]);
  return c.body(text, 201, { "content-type": "application/json;charset=UTF-8" }) as never;
}

/** A stream with the addresses that are good at this moment. */
async function withIngest(c: Context<AppContext>, records: StreamRecord[]) {
  const bases = await ingestBases(openDatabase(c.env.DB), c.env, new Date());
  const publicUrl = publicUrlOf(c);
  return records.map((record) => ({ ...toStream(record), ingest: ingestUrls(bases, record.stream, publicUrl) }));
}

const find = async (c: Context<AppContext>, streamId: string): Promise<StreamRecord> =>
  orNotFound(await findStream(c.env, c.var.caller.workspaceId, streamId));

async function act(c: Context<AppContext>, streamId: string, action: Parameters<typeof actOnStream>[2]) {
  orNotFound(await actOnStream(c.env, keyOf(c, streamId), action));
  return c.json({ success: true as const }, 200);
}

export const streamRoutes = newRouter()
  .openapi(createRouteDefinition, (c) => create(c, c.req.valid("json")))
  .openapi(createRouteShort, (c) => create(c, c.req.valid("json")))
  .openapi(listRoute, async (c) => {
    const { limit, offset, orderBy } = c.req.valid("query");
    const page = { page: offset, limit, order: orderBy };
    const { records, total } = await listStreams(c.env, c.var.caller.workspaceId, page);
    const data = await withIngest(c, records);
    return c.json({ success: true as const, data, pagination: pagination(total, offset, limit) }, 200);
  })
  .openapi(getRoute, async (c) => {
    const record = await find(c, c.req.valid("param").streamId);
    const [stream] = await withIngest(c, [record]);
    const { targets, mediaIds } = record;
    return c.json(
      { success: true as const, data: { ...stream!, simulcastResponses: targets.map(toTarget), mediaIds } },
      200,
    );
  })
  .openapi(updateRoute, async (c) => {
    const { metadata, reconnectWindow, allowViewerClips } = c.req.valid("json");
    const change = {
      ...(metadata === undefined ? {} : { metadata }),
      ...(reconnectWindow === undefined ? {} : { reconnectWindowS: reconnectWindow }),
      ...(allowViewerClips === undefined ? {} : { allowViewerClips }),
    };
    const updated = await updateStream(c.env, keyOf(c, c.req.valid("param").streamId), change, new Date());
    const { record, committed } = orNotFound(updated);
    c.executionCtx.waitUntil(committed.wake());
    const [data] = await withIngest(c, [record]);
    return c.json({ success: true as const, data: data! }, 200);
  })
  .openapi(rotateRoute, async (c) => {
    const { record, committed } = orNotFound(
      await rotateKey(c.env, keyOf(c, c.req.valid("param").streamId), new Date()),
    );
    c.executionCtx.waitUntil(committed.wake());
    const [data] = await withIngest(c, [record]);
    return c.json({ success: true as const, data: data! }, 200);
  })
  .openapi(deleteRoute, (c) => act(c, c.req.valid("param").streamId, "remove"))
  .openapi(viewersRoute, async (c) => {
    const { stream } = await find(c, c.req.valid("param").streamId);
    return c.json({ success: true as const, data: { views: await viewersOf(c.env, stream) } }, 200);
  })
  .openapi(enableRoute, (c) => act(c, c.req.valid("param").streamId, "enable"))
  .openapi(disableRoute, (c) => act(c, c.req.valid("param").streamId, "disable"))
  .openapi(finishRoute, (c) => act(c, c.req.valid("param").streamId, "finish"));

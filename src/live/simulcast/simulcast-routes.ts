import { createRoute } from "@hono/zod-openapi";
import { dataAnswer, DONE, doneAnswer, security, success } from "../../platform/http/answers.ts";
import { answerOnce, IdempotencyHeaders } from "../../platform/http/idempotency.ts";
import { json, problemResponses } from "../../platform/http/openapi.ts";
import { orNotFound } from "../../platform/http/problems.ts";
import { defined } from "../../platform/http/record.ts";
import { newRouter } from "../../platform/http/router.ts";
import { keyOf, streamParams, targetParams } from "../streams/route-parts.ts";
import { CreateTarget, TargetRecord, UpdateTarget } from "../streams/schemas.ts";
import { findTarget } from "../streams/targets.ts";
import { toTargetRecord } from "../streams/to-stream.ts";
import { addTarget } from "./add-target.ts";
import { removeTarget } from "./remove-target.ts";
import { targetUrlWarnings } from "./target-url.ts";
import { updateTarget } from "./update-target.ts";

const tags = ["Simulcast stream"];
const path = "/v1/live/streams/{streamId}/simulcast";
const problems = problemResponses("unauthorized", "forbidden", "simulcast_not_found", "validation_failed");

const createRouteDefinition = createRoute({
  operationId: "create-simulcast-of-stream",
  summary: "Add a simulcast target, while the stream is idle",
  description: "The broadcast is also pushed to this address on another platform. At most 5 for each stream.",
  method: "post",
  path,
  tags,
  security,
  request: {
    params: streamParams,
    headers: IdempotencyHeaders,
    body: { required: true, content: json(CreateTarget) },
  },
  responses: {
    201: dataAnswer(TargetRecord, "The target"),
    ...problemResponses(
      "stream_not_idle",
      "unauthorized",
      "forbidden",
      "stream_not_found",
      "idempotency_conflict",
      "validation_failed",
    ),
  },
});
const getRoute = createRoute({
  operationId: "get-specific-simulcast-of-stream",
  summary: "One simulcast target",
  description: "Its address, its key, whether it is enabled, and whether it gets the broadcast.",
  method: "get",
  path: `${path}/{simulcastId}`,
  tags,
  security,
  request: { params: targetParams },
  responses: { 200: dataAnswer(TargetRecord, "The target"), ...problems },
});
const updateRoute = createRoute({
  operationId: "update-specific-simulcast-of-stream",
  summary: "Change a simulcast target",
  description: "`metadata` is replaced as a whole. Omitted fields stay as they are.",
  method: "put",
  path: `${path}/{simulcastId}`,
  tags,
  security,
  request: { params: targetParams, body: { required: true, content: json(UpdateTarget) } },
  responses: { 200: dataAnswer(TargetRecord, "The changed target"), ...problems },
});
const deleteRoute = createRoute({
  operationId: "delete-simulcast-of-stream",
  summary: "Remove a simulcast target",
  description: "A current push to it ends.",
  method: "delete",
  path: `${path}/{simulcastId}`,
  tags,
  security,
  request: { params: targetParams },
  responses: { 200: doneAnswer("Removed"), ...problems },
});

export const simulcastRoutes = newRouter()
  .openapi(createRouteDefinition, (c) => {
    const { streamId } = c.req.valid("param");
    const operation = { name: `POST /v1/live/streams/${streamId}/simulcast`, isSecret: true };
    const body = c.req.valid("json");
    c.set("warnings", targetUrlWarnings(body.url));
    return answerOnce(c, operation, (context) => addTarget(streamId, body, context));
  })
  .openapi(getRoute, async (c) => {
    const { streamId, simulcastId } = c.req.valid("param");
    const found = await findTarget(c.env, keyOf(c, streamId), simulcastId);
    const { target, stream } = orNotFound(found, "simulcast_not_found");
    return c.json(success(toTargetRecord(target, stream)), 200);
  })
  .openapi(updateRoute, async (c) => {
    const { streamId, simulcastId } = c.req.valid("param");
    const change = defined(c.req.valid("json"));
    const updated = await updateTarget(c.env, keyOf(c, streamId), simulcastId, change, new Date());
    const { target, stream, committed } = orNotFound(updated, "simulcast_not_found");
    c.executionCtx.waitUntil(committed.wake());
    return c.json(success(toTargetRecord(target, stream)), 200);
  })
  .openapi(deleteRoute, async (c) => {
    const { streamId, simulcastId } = c.req.valid("param");
    const committed = await removeTarget(c.env, keyOf(c, streamId), simulcastId, new Date());
    c.executionCtx.waitUntil(orNotFound(committed, "simulcast_not_found").wake());
    return c.json(DONE, 200);
  });

import { createRoute, z } from "@hono/zod-openapi";
import { dataAnswer, security, success } from "../../platform/http/answers.ts";
import { json, problemResponses } from "../../platform/http/openapi.ts";
import { uuidParam } from "../../platform/http/requests.ts";
import { newRouter } from "../../platform/http/router.ts";
import { recover } from "./recover.ts";
import { redeliver } from "./redeliver.ts";
import { revealSecret } from "./reveal-secret.ts";
import { rotateSecret } from "./rotate-secret.ts";
import { itemProblems, keyOf, orWebhookNotFound, tags, webhookParams as params } from "./route-parts.ts";
import { RecoverWebhook, RedeliverEvent, TestResult, TestWebhook, WebhookRecord, WebhookSecret } from "./schemas.ts";
import { testWebhook } from "./test-webhook.ts";
import { toAttempt, toWebhook } from "./to-webhook.ts";
import { reloadSender, wakeSender } from "./wake.ts";

const revealRoute = createRoute({
  operationId: "reveal-webhook-secret",
  summary: "Reveal the signing secret",
  method: "post",
  path: "/v1/webhooks/{webhookId}/secret/reveal",
  tags,
  security,
  request: { params },
  responses: {
    200: dataAnswer(WebhookSecret, "The current secret"),
    ...itemProblems,
    ...problemResponses("unavailable"),
  },
});
const rotateRoute = createRoute({
  operationId: "rotate-webhook-secret",
  summary: "Rotate the signing secret",
  description:
    "The new secret signs `Service-Signature` at once. For 24 h `webhook-signature` carries a signature with the old secret too, " +
    "and a second rotation is refused. `reveal` returns the new secret.",
  method: "post",
  path: "/v1/webhooks/{webhookId}/secret/rotate",
  tags,
  security,
  request: { params },
  responses: {
    200: dataAnswer(WebhookRecord, "The webhook; the old secret signs too until `previousSecretUntil`"),
    ...itemProblems,
    ...problemResponses("secret_rotated_recently", "unavailable"),
  },
});
const testRoute = createRoute({
  operationId: "test-webhook",
  summary: "Send a sample event",
  description:
    "Sends one signed event about an object that does not exist, even if the webhook is paused or disabled. " +
    "Its outcome does not change the webhook's status.",
  method: "post",
  path: "/v1/webhooks/{webhookId}/test",
  tags,
  security,
  request: { params, body: { required: true, content: json(TestWebhook) } },
  responses: { 200: dataAnswer(TestResult, "The outcome"), ...itemProblems, ...problemResponses("unavailable") },
});
const recoverRoute = createRoute({
  operationId: "recover-webhook",
  summary: "Send failed deliveries again",
  description:
    "Every failed delivery created since then becomes pending again, with the same event id and bytes. " +
    "Deliveries to a paused or disabled webhook wait until it is enabled.",
  method: "post",
  path: "/v1/webhooks/{webhookId}/recover",
  tags,
  security,
  request: { params, body: { required: true, content: json(RecoverWebhook) } },
  responses: {
    200: dataAnswer(z.object({ recovered: z.int() }), "The number of deliveries that are pending again"),
    ...itemProblems,
  },
});
const redeliverRoute = createRoute({
  operationId: "redeliver-event",
  summary: "Send an event again",
  description: "With the same event id and bytes. A paused or disabled webhook gets it once it is enabled.",
  method: "post",
  path: "/v1/events/{eventId}/redeliver",
  tags: ["Events"],
  security,
  request: {
    params: z.object({ eventId: uuidParam("eventId") }),
    body: { required: false, content: json(RedeliverEvent) },
  },
  responses: {
    200: dataAnswer(z.object({ webhookIds: z.array(z.uuid()) }), "The webhooks that will get it"),
    ...problemResponses("unauthorized", "forbidden", "event_not_found", "validation_failed"),
  },
});

/** Actions on a webhook and its events. */
export const actionRoutes = newRouter()
  .openapi(revealRoute, async (c) => {
    const secret = orWebhookNotFound(await revealSecret(c.env, keyOf(c.var.caller, c.req.valid("param").webhookId)));
    c.header("cache-control", "no-store");
    return c.json(success({ secret }), 200);
  })
  .openapi(rotateRoute, async (c) => {
    const now = new Date();
    const key = keyOf(c.var.caller, c.req.valid("param").webhookId);
    const webhook = orWebhookNotFound(await rotateSecret(c.env, key, now));
    await reloadSender(c.env, key.webhookId);
    return c.json(success(toWebhook(webhook, now)), 200);
  })
  .openapi(testRoute, async (c) => {
    const key = keyOf(c.var.caller, c.req.valid("param").webhookId);
    const { eventId, type, attempt } = orWebhookNotFound(
      await testWebhook(c.env, key, c.req.valid("json").type, new Date()),
    );
    c.set("createdIds", [eventId]);
    const data = { eventId, type, delivered: attempt.failure === null, attempt: toAttempt(attempt) };
    return c.json(success(data), 200);
  })
  .openapi(recoverRoute, async (c) => {
    const key = keyOf(c.var.caller, c.req.valid("param").webhookId);
    const recovered = orWebhookNotFound(await recover(c.env, key, c.req.valid("json").since, new Date()));
    if (recovered > 0) c.executionCtx.waitUntil(wakeSender(c.env, key.webhookId));
    return c.json(success({ recovered }), 200);
  })
  .openapi(redeliverRoute, async (c) => {
    const { webhookId } = c.req.valid("json");
    const ids = { workspaceId: c.var.caller.workspaceId, eventId: c.req.valid("param").eventId.toLowerCase() };
    const webhookIds = await redeliver(c.env, ids, webhookId?.toLowerCase() ?? null, new Date());
    c.executionCtx.waitUntil(Promise.all(webhookIds.map((id) => wakeSender(c.env, id))));
    return c.json(success({ webhookIds }), 200);
  });

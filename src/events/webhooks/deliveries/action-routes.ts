import { createRoute, z } from "@hono/zod-openapi";
import { dataAnswer, security, success } from "../../../platform/http/answers.ts";
import { json, problemResponses } from "../../../platform/http/openapi.ts";
import { uuidParam } from "../../../platform/http/requests.ts";
import { newRouter } from "../../../platform/http/router.ts";
import { itemProblems, keyOf, orWebhookNotFound, tags, webhookParams as params } from "../endpoints/route-parts.ts";
import { recover } from "./recover.ts";
import { redeliver } from "./redeliver.ts";
import { RecoverWebhook, RedeliverEvent, TestResult, TestWebhook } from "./schemas.ts";
import { testWebhook } from "./test-webhook.ts";
import { toTestResult } from "./to-delivery.ts";

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
  summary: "Send undelivered events again, now",
  description:
    "Every delivery created since then that has failed, or waits for its next try, is due now, with the same event id and bytes and a new " +
    "schedule of tries. Deliveries to a paused or disabled webhook wait until it is enabled.",
  method: "post",
  path: "/v1/webhooks/{webhookId}/recover",
  tags,
  security,
  request: { params, body: { required: true, content: json(RecoverWebhook) } },
  responses: {
    200: dataAnswer(z.object({ recovered: z.int() }), "The number of deliveries that are due now"),
    ...itemProblems,
  },
});
const redeliverRoute = createRoute({
  operationId: "redeliver-event",
  summary: "Send an event again",
  description:
    "With the same event id and bytes. A paused webhook gets it once it is enabled; a disabled one is refused with 409, or left out " +
    "when no webhook is named.",
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
    ...problemResponses("unauthorized", "forbidden", "event_not_found", "webhook_disabled", "validation_failed"),
  },
});

/** Actions that send events. */
export const deliveryActionRoutes = newRouter()
  .openapi(testRoute, async (c) => {
    const key = keyOf(c.var.caller, c.req.valid("param").webhookId);
    const test = orWebhookNotFound(await testWebhook(c.env, key, c.req.valid("json").type, new Date()));
    c.set("createdIds", [test.eventId]);
    return c.json(success(toTestResult(test)), 200);
  })
  .openapi(recoverRoute, async (c) => {
    const key = keyOf(c.var.caller, c.req.valid("param").webhookId);
    const { since } = c.req.valid("json");
    const after = (work: Promise<unknown>) => c.executionCtx.waitUntil(work);
    return c.json(success({ recovered: orWebhookNotFound(await recover(c.env, key, since, new Date(), after)) }), 200);
  })
  .openapi(redeliverRoute, async (c) => {
    const webhookId = c.req.valid("json").webhookId?.toLowerCase() ?? null;
    const key = { workspaceId: c.var.caller.workspaceId, eventId: c.req.valid("param").eventId.toLowerCase() };
    const after = (work: Promise<unknown>) => c.executionCtx.waitUntil(work);
    return c.json(success({ webhookIds: await redeliver(c.env, key, webhookId, new Date(), after) }), 200);
  });

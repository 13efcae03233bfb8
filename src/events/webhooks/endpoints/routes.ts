import { createRoute } from "@hono/zod-openapi";
import { openDatabase } from "../../../platform/database.ts";
import {
  dataAnswer,
  DONE,
  doneAnswer,
  pageAnswer,
  security,
  success,
  successPage,
} from "../../../platform/http/answers.ts";
import { answerOnce, IdempotencyHeaders } from "../../../platform/http/idempotency.ts";
import { json, problemResponses } from "../../../platform/http/openapi.ts";
import { PageQuery, pagination } from "../../../platform/http/pagination.ts";
import { newRouter, reportAllIssues } from "../../../platform/http/router.ts";
import { allowsPrivateNetwork } from "../../../platform/network/index.ts";
import { createWebhook } from "./create-webhook.ts";
import { deleteWebhook } from "./delete-webhook.ts";
import { findWebhook, listWebhooks } from "./repository.ts";
import { itemProblems, keyOf, orWebhookNotFound, tags, webhookParams as params } from "./route-parts.ts";
import { CreatedWebhook, CreateWebhook, UpdateWebhook, urlIssues, WebhookRecord } from "./schemas.ts";
import { toWebhook } from "./to-webhook.ts";
import { updateWebhook } from "./update-webhook.ts";

const createRouteDefinition = createRoute({
  operationId: "create-webhook",
  summary: "Create a webhook",
  description: "At most 50 for each workspace.",
  method: "post",
  path: "/v1/webhooks",
  tags,
  security,
  request: { headers: IdempotencyHeaders, body: { required: true, content: json(CreateWebhook) } },
  responses: {
    201: dataAnswer(CreatedWebhook, "The webhook, which gets events from now on. Store the `secret`"),
    ...problemResponses(
      "unauthorized",
      "forbidden",
      "webhook_limit_reached",
      "idempotency_conflict",
      "validation_failed",
      "unavailable",
    ),
  },
});
const listRoute = createRoute({
  operationId: "list-webhooks",
  summary: "List webhooks",
  description: "By time of creation, without their secrets.",
  method: "get",
  path: "/v1/webhooks",
  tags,
  security,
  request: { query: PageQuery },
  responses: {
    200: pageAnswer(WebhookRecord, "One page of webhooks"),
    ...problemResponses("unauthorized", "forbidden", "validation_failed"),
  },
});
const getRoute = createRoute({
  operationId: "get-webhook",
  summary: "One webhook",
  description: "With its state and the outcome of its last delivery, without its secret.",
  method: "get",
  path: "/v1/webhooks/{webhookId}",
  tags,
  security,
  request: { params },
  responses: { 200: dataAnswer(WebhookRecord, "The webhook"), ...itemProblems },
});
const updateRoute = createRoute({
  operationId: "update-webhook",
  summary: "Change, pause or enable a webhook",
  description: "A new `url` is verified first, as on creation, and starts without a record of failures.",
  method: "patch",
  path: "/v1/webhooks/{webhookId}",
  tags,
  security,
  request: { params, body: { required: true, content: json(UpdateWebhook) } },
  responses: { 200: dataAnswer(WebhookRecord, "The changed webhook"), ...itemProblems },
});
const deleteRoute = createRoute({
  operationId: "delete-webhook",
  summary: "Delete a webhook",
  description: "Its pending deliveries are cancelled; its delivery log ends.",
  method: "delete",
  path: "/v1/webhooks/{webhookId}",
  tags,
  security,
  request: { params },
  responses: {
    200: doneAnswer("Deleted; its pending deliveries are cancelled"),
    ...itemProblems,
  },
});

const reportUrlToo = reportAllIssues((body, env) => urlIssues(body, allowsPrivateNetwork(env)));

export const endpointRoutes = newRouter()
  .openapi(
    createRouteDefinition,
    (c) => {
      c.header("cache-control", "no-store");
      const operation = { name: "POST /v1/webhooks", isSecret: true };
      return answerOnce(c, operation, (context) => createWebhook(c.req.valid("json"), context));
    },
    reportUrlToo,
  )
  .openapi(listRoute, async (c) => {
    const { limit, offset, orderBy } = c.req.valid("query");
    const now = new Date();
    const { rows, total } = await listWebhooks(openDatabase(c.env.DB), c.var.caller.workspaceId, {
      page: offset,
      limit,
      order: orderBy,
    });
    const data = rows.map((row) => toWebhook(row, now));
    return c.json(successPage(data, pagination(total, offset, limit)), 200);
  })
  .openapi(getRoute, async (c) => {
    const key = keyOf(c.var.caller, c.req.valid("param").webhookId);
    const webhook = orWebhookNotFound(await findWebhook(openDatabase(c.env.DB), key));
    return c.json(success(toWebhook(webhook, new Date())), 200);
  })
  .openapi(
    updateRoute,
    async (c) => {
      const now = new Date();
      const key = keyOf(c.var.caller, c.req.valid("param").webhookId);
      const webhook = orWebhookNotFound(await updateWebhook(c.env, key, c.req.valid("json"), now));
      return c.json(success(toWebhook(webhook, now)), 200);
    },
    reportUrlToo,
  )
  .openapi(deleteRoute, async (c) => {
    const key = keyOf(c.var.caller, c.req.valid("param").webhookId);
    orWebhookNotFound(await deleteWebhook(c.env, key, new Date()));
    return c.json(DONE, 200);
  });

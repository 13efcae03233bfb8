import { createRoute, z } from "@hono/zod-openapi";
import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { json, problemResponses } from "../../platform/http/openapi.ts";
import { PageQuery, pagination, Pagination } from "../../platform/http/pagination.ts";
import { newRouter, validationProblem } from "../../platform/http/router.ts";
import { allowsPrivateNetwork } from "../../platform/network/index.ts";
import { actionRoutes } from "./action-routes.ts";
import { createWebhook } from "./create-webhook.ts";
import { deleteWebhook } from "./delete-webhook.ts";
import { deliveryRoutes } from "./delivery-routes.ts";
import { findWebhook, listWebhooks } from "./repository.ts";
import { answer, itemProblems, keyOf, orNotFound, security, tags, webhookParams as params } from "./route-parts.ts";
import { CreatedWebhook, CreateWebhook, UpdateWebhook, urlIssues, WebhookRecord } from "./schemas.ts";
import { toWebhook } from "./to-webhook.ts";
import { updateWebhook } from "./update-webhook.ts";
import { reloadSender } from "./wake.ts";

const createRouteDefinition = createRoute({
  operationId: "create-webhook",
  summary: "Create a webhook",
  description: "At most 50 for each workspace.",
  method: "post",
  path: "/v1/webhooks",
  tags,
  security,
  request: { body: { required: true, content: json(CreateWebhook) } },
  responses: {
    201: answer(CreatedWebhook, "The webhook, which gets events from now on. Store the `secret`"),
    ...problemResponses("unauthorized", "forbidden", "webhook_limit_reached", "validation_failed", "unavailable"),
  },
});
const listRoute = createRoute({
  operationId: "list-webhooks",
  summary: "List webhooks",
  method: "get",
  path: "/v1/webhooks",
  tags,
  security,
  request: { query: PageQuery },
  responses: {
    200: {
      description: "One page of webhooks",
      content: json(z.object({ success: z.literal(true), data: z.array(WebhookRecord), pagination: Pagination })),
    },
    ...problemResponses("unauthorized", "forbidden", "validation_failed"),
  },
});
const getRoute = createRoute({
  operationId: "get-webhook",
  summary: "One webhook",
  method: "get",
  path: "/v1/webhooks/{webhookId}",
  tags,
  security,
  request: { params },
  responses: { 200: answer(WebhookRecord, "The webhook"), ...itemProblems },
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
  responses: { 200: answer(WebhookRecord, "The changed webhook"), ...itemProblems },
});
const deleteRoute = createRoute({
  operationId: "delete-webhook",
  summary: "Delete a webhook",
  method: "delete",
  path: "/v1/webhooks/{webhookId}",
  tags,
  security,
  request: { params },
  responses: {
    200: {
      description: "Deleted; its pending deliveries are cancelled",
      content: json(z.object({ success: z.literal(true) })),
    },
    ...itemProblems,
  },
});

/** Reports all invalid fields at once: the URL is checked even if another field is invalid. */
function reportAllIssues(result: Checked, c: { env: Env }): undefined {
  if (result.error === undefined) return;
  const { data } = result as { data?: unknown };
  const more = result.target === "json" ? urlIssues(data, allowsPrivateNetwork(c.env)) : [];
  throw validationProblem({ issues: [...result.error.issues, ...more] }, data, result.target);
}
interface Checked {
  target: string;
  error?: Pick<z.core.$ZodError, "issues">;
}

export const webhookRoutes = newRouter()
  .openapi(
    createRouteDefinition,
    async (c) => {
      const now = new Date();
      const { webhook, secret } = await createWebhook(c.env, c.var.caller.workspaceId, c.req.valid("json"), now);
      c.set("createdIds", [webhook.id]);
      c.header("cache-control", "no-store");
      return c.json({ success: true as const, data: { ...toWebhook(webhook, now), secret } }, 201);
    },
    reportAllIssues,
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
    return c.json({ success: true as const, data, pagination: pagination(total, offset, limit) }, 200);
  })
  .openapi(getRoute, async (c) => {
    const key = keyOf(c.var.caller, c.req.valid("param").webhookId);
    const webhook = orNotFound(await findWebhook(openDatabase(c.env.DB), key));
    return c.json({ success: true as const, data: toWebhook(webhook, new Date()) }, 200);
  })
  .openapi(
    updateRoute,
    async (c) => {
      const now = new Date();
      const key = keyOf(c.var.caller, c.req.valid("param").webhookId);
      const webhook = orNotFound(await updateWebhook(c.env, key, c.req.valid("json"), now));
      return c.json({ success: true as const, data: toWebhook(webhook, now) }, 200);
    },
    reportAllIssues,
  )
  .openapi(deleteRoute, async (c) => {
    const key = keyOf(c.var.caller, c.req.valid("param").webhookId);
    orNotFound((await deleteWebhook(c.env, key, new Date())) || null);
    await reloadSender(c.env, key.webhookId); // which then deletes its own state
    return c.json({ success: true as const }, 200);
  });
webhookRoutes.route("/", actionRoutes);
webhookRoutes.route("/", deliveryRoutes);

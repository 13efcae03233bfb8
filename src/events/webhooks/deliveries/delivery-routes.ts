import { createRoute } from "@hono/zod-openapi";
import { cursorPageAnswer, security, successPage } from "../../../platform/http/answers.ts";
import { newRouter } from "../../../platform/http/router.ts";
import { itemProblems, keyOf, orWebhookNotFound, tags, webhookParams as params } from "../endpoints/route-parts.ts";
import { listDeliveries } from "./list-deliveries.ts";
import { DeliveriesQuery, DeliveryRecord } from "./schemas.ts";

const listRoute = createRoute({
  operationId: "list-webhook-deliveries",
  summary: "List the deliveries of a webhook",
  description: "The last 30 days, newest first, with their attempts.",
  method: "get",
  path: "/v1/webhooks/{webhookId}/deliveries",
  tags,
  security,
  request: { params, query: DeliveriesQuery },
  responses: {
    200: cursorPageAnswer(DeliveryRecord, "One page of deliveries"),
    ...itemProblems,
  },
});

export const deliveryRoutes = newRouter().openapi(listRoute, async (c) => {
  const key = keyOf(c.var.caller, c.req.valid("param").webhookId);
  const { records, pagination } = orWebhookNotFound(await listDeliveries(c.env, key, c.req.valid("query")));
  return c.json(successPage(records, pagination), 200);
});

import { createRoute, z } from "@hono/zod-openapi";
import { openDatabase } from "../../platform/database.ts";
import { cursorPageAnswer, security, successPage } from "../../platform/http/answers.ts";
import { CursorTime, cutPage, readCursor } from "../../platform/http/cursor.ts";
import { newRouter } from "../../platform/http/router.ts";
import { findAttempts, findWebhook, listDeliveries } from "./repository.ts";
import { itemProblems, keyOf, orWebhookNotFound, tags, webhookParams as params } from "./route-parts.ts";
import { DeliveriesQuery, DeliveryRecord } from "./schemas.ts";
import { toDelivery } from "./to-webhook.ts";

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

const CursorKey = z.tuple([CursorTime, z.string()]); // creation and event

export const deliveryRoutes = newRouter().openapi(listRoute, async (c) => {
  const { status, type: types, from, to, limit, cursor } = c.req.valid("query");
  const after = readCursor(cursor, CursorKey);
  const db = openDatabase(c.env.DB);
  const key = keyOf(c.var.caller, c.req.valid("param").webhookId);
  orWebhookNotFound(await findWebhook(db, key));
  const found = await listDeliveries(db, key, { status, types, from, to, after }, limit + 1);
  const { rows, pagination } = cutPage(found, limit, (row) => [row.createdAt.getTime(), row.eventId]);
  const attempts = await findAttempts(
    db,
    key.webhookId,
    rows.map(({ eventId }) => eventId),
  );
  const data = rows.map((row) => toDelivery(row, attempts.get(row.eventId) ?? []));
  return c.json(successPage(data, pagination), 200);
});

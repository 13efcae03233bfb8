import { z } from "@hono/zod-openapi";
import { openDatabase } from "../../../platform/database.ts";
import type { Env } from "../../../platform/env.ts";
import { CursorTime, cutPage, readCursor } from "../../../platform/http/cursor.ts";
import { findWebhook, type WebhookKey } from "../endpoints/repository.ts";
import { findAttempts, findDeliveries } from "./repository.ts";
import type { DeliveriesQuery } from "./schemas.ts";
import { toDelivery } from "./to-delivery.ts";

const CursorKey = z.tuple([CursorTime, z.string()]); // creation and event

/**
 * One page of a webhook's deliveries, newest first, with their attempts.
 *
 * @returns null when the webhook does not exist
 * @throws {Problem} validation_failed
 */
export async function listDeliveries(env: Env, key: WebhookKey, query: z.infer<typeof DeliveriesQuery>) {
  const { status, type: types, from, to, limit, cursor } = query;
  const after = readCursor(cursor, CursorKey);
  const db = openDatabase(env.DB);
  if ((await findWebhook(db, key)) === null) return null;
  const found = await findDeliveries(db, key, { status, types, from, to, after }, limit + 1);
  const { rows, pagination } = cutPage(found, limit, (row) => [row.createdAt.getTime(), row.eventId]);
  const eventIds = rows.map(({ eventId }) => eventId);
  const attempts = await findAttempts(db, key.webhookId, eventIds);
  return { records: rows.map((row) => toDelivery(row, attempts.get(row.eventId) ?? [])), pagination };
}

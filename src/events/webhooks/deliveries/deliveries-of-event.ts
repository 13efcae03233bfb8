import type { z } from "@hono/zod-openapi";
import type { Database } from "../../../platform/database.ts";
import { deliveryRowsOfEvent } from "./repository.ts";
import type { EventDelivery } from "./schemas.ts";
import { toDelivery } from "./to-delivery.ts";

/** The deliveries of an event, one for each webhook. The caller has checked that the event is of the caller's workspace. */
export async function deliveriesOfEvent(db: Database, eventId: string): Promise<z.infer<typeof EventDelivery>[]> {
  const found = await deliveryRowsOfEvent(db, eventId);
  return found.map(({ row, url, attempts }) => ({ webhookId: row.webhookId, url, ...toDelivery(row, attempts) }));
}

import type { z } from "@hono/zod-openapi";
import { openDatabase } from "../../../platform/database.ts";
import type { Env } from "../../../platform/env.ts";
import { envelopeOf, findEvent } from "../../index.ts";
import { deliveriesOfEvent } from "./deliveries-of-event.ts";
import type { EventRecord } from "./schemas.ts";

/** One event with its deliveries and their attempts. @returns null when the workspace has no such event */
export async function getEvent(
  env: Env,
  { workspaceId, eventId }: { workspaceId: string; eventId: string },
): Promise<z.infer<typeof EventRecord> | null> {
  const db = openDatabase(env.DB);
  const event = await findEvent(db, eventId);
  if (event?.workspaceId !== workspaceId) return null;
  const { type, videoType, isTest } = event;
  const deliveries = await deliveriesOfEvent(db, event.id);
  return { event: envelopeOf(event, "service"), type, videoType, isTest, deliveries };
}

import type { Database } from "../database.ts";
import { eventTime } from "./event-time.ts";
import { events } from "./tables.ts";

export interface NewEvent {
  id: string;
  workspaceId: string;
  type: string;
  objectType: "media" | "live";
  objectId: string;
  occurredAtMs: number;
}

/** A statement for a batch: the event travels in one commit with the change it tells of. Told twice, it is there once. */
export const insertEvent = (db: Database, { occurredAtMs, ...event }: NewEvent) =>
  db
    .insert(events)
    .values({ ...event, createdAt: eventTime(occurredAtMs) })
    .onConflictDoNothing();

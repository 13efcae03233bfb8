import { and, desc, eq, gte, inArray, lt, type SQL, sql } from "drizzle-orm";
import type { z } from "@hono/zod-openapi";
import type { Database } from "../platform/database.ts";
import type { Naming } from "./catalogue/catalogue.ts";
import type { EventEnvelope } from "./catalogue/envelope.ts";
import { eventTime } from "./event-time.ts";
import { type Event, eventBytes } from "./repository.ts";
import { events } from "./tables.ts";

export interface EventFilter {
  /** Kinds by the service's names; absent = all. */
  types?: readonly string[] | undefined;
  objectId?: string | undefined;
  from?: Date | undefined; // inclusive
  to?: Date | undefined; // exclusive
  /** Position of the previous page's last event: time (nine fraction digits) and id. */
  after?: readonly [string, string] | null;
}

/** The events of a workspace, newest first, without the samples of webhook tests. */
export function listEvents(db: Database, workspaceId: string, filter: EventFilter, limit: number): Promise<Event[]> {
  const { types, objectId, from, to, after } = filter;
  const conditions: (SQL | undefined)[] = [
    // The unary plus makes SQLite use the object's index instead of the workspace's, which has more rows.
    objectId === undefined ? eq(events.workspaceId, workspaceId) : sql`+${events.workspaceId} = ${workspaceId}`,
    objectId === undefined ? undefined : eq(events.objectId, objectId),
    types && inArray(events.type, sql`(SELECT value FROM json_each(${JSON.stringify(types)}))`),
    from && gte(events.createdAt, eventTime(from.getTime())),
    to && lt(events.createdAt, eventTime(to.getTime())),
    after ? sql`(${events.createdAt}, ${events.id}) < (${after[0]}, ${after[1]})` : undefined,
    eq(events.isTest, false),
  ];
  return db
    .select()
    .from(events)
    .where(and(...conditions))
    .orderBy(desc(events.createdAt), desc(events.id))
    .limit(limit);
}

/** The event as a receiver with this naming gets it, parsed from the bytes that are sent. */
export const envelopeOf = (event: Event, naming: Naming): z.output<typeof EventEnvelope> =>
  JSON.parse(new TextDecoder().decode(eventBytes(event, naming))) as z.output<typeof EventEnvelope>;

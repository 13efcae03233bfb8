import { eq, type SQL, sql } from "drizzle-orm";
import type { Database } from "../platform/database.ts";
import { kindOf } from "./catalogue/catalogue.ts";
import { eventTime } from "./event-time.ts";
import { redactSecrets, revealSecrets } from "./redaction.ts";
import { events } from "./tables.ts";

export interface NewEvent {
  id: string; // UUID, derived from the change or stored with it, so that announcing it twice inserts it once
  workspaceId: string;
  type: string; // by the service's naming
  objectId: string;
  occurredAtMs: number;
  data: unknown; // matches the schema of the kind in the catalogue
  /** The data before redaction, sealed; null = nothing was redacted. */
  sealedData?: string | null;
  isTest?: boolean;
}

/**
 * A statement for the batch that commits the change. It sets the event's time and body. The time is `occurredAtMs`, or a nanosecond
 * after the object's previous event if that is later.
 *
 * @param onlyIf a condition in SQL; `changes() > 0` = the preceding statement of the batch had an effect
 * @throws when the kind is not in the catalogue or is not marked as sent, because `GET /v1/event-types` would then be wrong
 */
export function insertEvent(db: Database, event: NewEvent, onlyIf: SQL = sql`true`) {
  const { status, videoType, objectType, isSent } = kindOf(event.type);
  if (!isSent && event.isTest !== true) throw new Error(`the catalogue does not mark "${event.type}" as sent`);
  const occurredAt = eventTime(event.occurredAtMs);
  const json = (value: unknown) => JSON.stringify(value);
  const ids = `"object":${json({ type: objectType, id: event.objectId })},"id":${json(event.id)},"event_id":${json(event.id)}`;
  const start = `${ids},"workspace":{"id":${json(event.workspaceId)},"name":`;
  const middle = `},"status":${json(status)},"data":${json(event.data)},"createdAt":"`;
  const end = `","attempts":[]${event.isTest === true ? ',"isTest":true' : ""}}`;
  return db.all<{ body: string }>(sql`
    INSERT INTO ${events} (id, workspace_id, type, video_type, object_type, object_id, created_at, body, sealed_data, is_test)
    SELECT ${event.id}, ${event.workspaceId}, ${event.type}, ${videoType}, ${objectType}, ${event.objectId}, now.at,
      ${start} || json_quote(now.workspace_name) || ${middle} || now.at || ${end}, ${event.sealedData ?? null}, ${event.isTest ? 1 : 0}
    FROM (SELECT
      max(${occurredAt}, coalesce((${afterLast(event.objectId)}), '')) AS at,
      coalesce((SELECT name FROM workspaces WHERE id = ${event.workspaceId}), '') AS workspace_name) AS now
    WHERE ${onlyIf}
    ON CONFLICT DO NOTHING
    RETURNING body`);
}

/** A nanosecond after the object's last event. The time is text of fixed width, with the milliseconds up to the 23rd character. */
const afterLast = (objectId: string) => sql`
  SELECT substr(created_at, 1, 23) || printf('%06d', CAST(substr(created_at, 24, 6) AS INTEGER) + 1) || 'Z'
  FROM events WHERE object_id = ${objectId} ORDER BY created_at DESC LIMIT 1`;

export type Event = typeof events.$inferSelect;

export async function findEvent(db: Database, id: string): Promise<Event | null> {
  const rows = await db.select().from(events).where(eq(events.id, id));
  return rows[0] ?? null;
}

/**
 * The bytes that are sent: the same for every attempt to every webhook with this naming and this choice of secrets.
 *
 * @param data the data before redaction, to reveal the event's secrets. Without it they stay redacted, and secrets of events that were
 *   stored unredacted are redacted too
 */
export function eventBytes(
  event: { type: string; videoType: string; body: string },
  naming: "service" | "video",
  data: string | null = null,
): Uint8Array {
  const body = data === null ? redactSecrets(event.body) : revealSecrets(event.body, data);
  return new TextEncoder().encode(
    `{"type":${JSON.stringify(naming === "video" ? event.videoType : event.type)},${body}`,
  );
}

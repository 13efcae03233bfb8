/** The activity of a media: its API requests and its events in one list, newest first. */
import { and, eq } from "drizzle-orm";
import type { Database } from "../../platform/database.ts";
import { type Event, eventTime, listEvents } from "../../events/index.ts";
import { listRequests, type LoggedRequest } from "../../events/request-log/index.ts";
import { assets } from "./tables.ts";

export type ActivityItem = { kind: "event"; row: Event } | { kind: "request"; row: LoggedRequest };

/** Time (nanoseconds), kind and id of an item. Within one millisecond, events sort as later than the request that caused them. */
export type ActivityKey = readonly [at: string, kind: ActivityItem["kind"], id: string];

export const keyOf = ({ kind, row }: ActivityItem): ActivityKey => [
  kind === "event" ? row.createdAt : eventTime(row.at.getTime()),
  kind,
  row.id,
];

/** Comparator for `sort`: newest first; at the same time, events before requests. */
export function compareActivity(one: ActivityItem, other: ActivityItem): number {
  const [[at, kind, id], [otherAt, otherKind, otherId]] = [keyOf(one), keyOf(other)];
  if (at !== otherAt) return at > otherAt ? -1 : 1;
  if (kind !== otherKind) return kind === "event" ? -1 : 1;
  return id > otherId ? -1 : id < otherId ? 1 : 0;
}

/**
 * The positions after which to continue in each of the two lists.
 *
 * Event times are unique per object, so the time alone is an event's position. An event sorts as later than every request of the same
 * millisecond.
 */
export function resumeAfter(key: ActivityKey | null): {
  events: readonly [string, string] | null;
  requests: readonly [number, string] | null;
} {
  if (key === null) return { events: null, requests: null };
  const [at, kind, id] = key;
  const ms = Date.parse(`${at.slice(0, 23)}Z`);
  return { events: [at, ""], requests: kind === "request" ? [ms, id] : [ms + 1, ""] };
}

/** Left out of the activity: a page that polls it would otherwise fill it with its own requests. */
export const ACTIVITY_ROUTE = "/v1/on-demand/{mediaId}/activity";

/** Includes deleted media, so that their owner can see the deletion. @returns null when the workspace never had this media */
export async function listActivity(
  db: Database,
  { workspaceId, assetId }: { workspaceId: string; assetId: string },
  after: ActivityKey | null,
  limit: number,
): Promise<ActivityItem[] | null> {
  const resume = resumeAfter(after);
  const [known, events, requests] = await Promise.all([
    db
      .select({ id: assets.id })
      .from(assets)
      .where(and(eq(assets.id, assetId), eq(assets.workspaceId, workspaceId))),
    listEvents(db, workspaceId, { objectId: assetId, after: resume.events }, limit),
    listRequests(db, workspaceId, { resourceId: assetId, exceptRoute: ACTIVITY_ROUTE, after: resume.requests }, limit),
  ]);
  if (known.length === 0) return null; // the row of a deleted asset stays
  const items: ActivityItem[] = [
    ...events.map((row) => ({ kind: "event" as const, row })),
    ...requests.map((row) => ({ kind: "request" as const, row })),
  ];
  return items.sort(compareActivity).slice(0, limit);
}

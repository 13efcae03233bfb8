/** The activity of a media: the requests about it and its events, as one list, newest first. */
import { and, eq } from "drizzle-orm";
import type { Database } from "../../platform/database.ts";
import { type Event, eventTime, listEvents } from "../../events/index.ts";
import { listRequests, type LoggedRequest } from "../../events/request-log/index.ts";
import { assets } from "./tables.ts";

export type ActivityItem = { kind: "event"; row: Event } | { kind: "request"; row: LoggedRequest };

/** Time (nine digits), kind and id of an item. What a request brought about in its own millisecond came after it. */
export type ActivityKey = readonly [at: string, kind: ActivityItem["kind"], id: string];

export const keyOf = ({ kind, row }: ActivityItem): ActivityKey => [
  kind === "event" ? row.createdAt : eventTime(row.at.getTime()),
  kind,
  row.id,
];

/** Pure. For `sort`: the newest first; at one time, events before requests. */
export function compareActivity(one: ActivityItem, other: ActivityItem): number {
  const [[at, kind, id], [otherAt, otherKind, otherId]] = [keyOf(one), keyOf(other)];
  if (at !== otherAt) return at > otherAt ? -1 : 1;
  if (kind !== otherKind) return kind === "event" ? -1 : 1;
  return id > otherId ? -1 : id < otherId ? 1 : 0;
}

/**
 * Where to go on in each of the two lists. Pure.
 *
 * An object's events have each a time of their own, so its time alone says where an event stands; and an event is later than
 * every request that came in its millisecond or before.
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

/** To look is not to act: a page that shows the activity would fill it with its own requests. */
export const ACTIVITY_ROUTE = "/v1/on-demand/{mediaId}/activity";

/** Also of a media that is deleted: its owner may want to know by whom. @returns null when the workspace never had such a media */
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

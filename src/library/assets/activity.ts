/** The order of an asset's activity: its API requests and its events in one list, newest first. Pure. */
import { type Event, eventTime } from "../../events/index.ts";
import type { LoggedRequest } from "../../events/request-log/index.ts";

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

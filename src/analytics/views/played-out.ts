import type { ViewEvent } from "./view-event.ts";

/** Events that a player without states sends. Some of the others say that playback stopped. */
const WITHOUT_STATES = new Set(["playing", "pulse", "variantChanged", "error"]);

/**
 * When a view has lasted as long as its media, for players that report no states, such as Shaka 5.2: they report through pauses and after the end,
 * as long as the page is open. Pure.
 *
 * @param mediaMs null = not known, as for a broadcast
 * @returns epoch ms; null = the view has no bound
 */
export function playedOutAtMs(events: readonly ViewEvent[], mediaMs: number | null): number | null {
  const start = events.find(({ name }) => name === "playing");
  if (mediaMs === null || start === undefined) return null;
  return events.every(namesNoState) ? start.atMs + mediaMs : null;
}

const namesNoState = ({ name, fields }: ViewEvent) =>
  WITHOUT_STATES.has(name) && fields["view_watch_time"] === undefined;

/**
 * The events of a view that was over at that time. Later events are moved to it, and pulses after the first later one are dropped.
 *
 * @returns the same array when there are no later events
 */
export function eventsUntil(events: readonly ViewEvent[], overAtMs: number | null): readonly ViewEvent[] {
  if (overAtMs === null) return events;
  const firstLate = events.findIndex(({ atMs }) => atMs > overAtMs);
  if (firstLate < 0) return events;
  return events
    .filter(({ name, atMs }, index) => atMs <= overAtMs || index === firstLate || name !== "pulse")
    .map((event) => ({ ...event, atMs: Math.min(event.atMs, overAtMs) }));
}

import type { ViewEvent } from "./view-event.ts";

/** Events that a player without states has. Of the others, some say that playback stopped. */
const WITHOUT_STATES = new Set(["playing", "pulse", "variantChanged", "error"]);

/**
 * When a view has played for as long as its media takes, if its player names no states, as the releases of Shaka 5.2: it reports on through
 * pauses and after the end, while its page is open. Pure.
 *
 * @param mediaMs null = not known, such as of a broadcast
 * @returns epoch ms; null = nothing bounds the view
 */
export function playedOutAtMs(events: readonly ViewEvent[], mediaMs: number | null): number | null {
  const start = events.find(({ name }) => name === "playing");
  if (mediaMs === null || start === undefined) return null;
  return events.every(namesNoState) ? start.atMs + mediaMs : null;
}

const namesNoState = ({ name, fields }: ViewEvent) =>
  WITHOUT_STATES.has(name) && fields["view_watch_time"] === undefined;

/**
 * The events of a view that was over then: what was reported later was so at that time, and pulses after the first such are left out.
 *
 * @returns the same array when nothing was reported later
 */
export function eventsUntil(events: readonly ViewEvent[], overAtMs: number | null): readonly ViewEvent[] {
  if (overAtMs === null) return events;
  const firstLate = events.findIndex(({ atMs }) => atMs > overAtMs);
  if (firstLate < 0) return events;
  return events
    .filter(({ name, atMs }, index) => atMs <= overAtMs || index === firstLate || name !== "pulse")
    .map((event) => ({ ...event, atMs: Math.min(event.atMs, overAtMs) }));
}

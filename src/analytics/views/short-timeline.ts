import type { TimelineEvent } from "./view-event.ts";

/** Most events of a view's record. */
export const MAX_TIMELINE_EVENTS = 500;

/** Segments and playlists that arrived tell nothing about a view, and there are thousands of them. */
const LEFT_OUT = "requestCompleted";

/** What began, ended or failed. */
const OUTCOMES = new Set(["viewBegin", "viewCompleted", "ended", "error"]);
/** What the viewer saw or did. */
const STATES = new Set([
  "playerReady",
  "loadstart",
  "play",
  "playing",
  "pause",
  "seeking",
  "seeked",
  "waiting",
  "buffering",
  "buffered",
]);

/**
 * The events of a view's record: all but completed requests, or at most 500 of a long view. Pulses are left out first, then variants, failed
 * requests and unknown names, then changes of state. Of the kind for which there is only some room, events from the whole view stay. Pure.
 *
 * @param timeline in order
 */
export function shortTimeline(timeline: readonly TimelineEvent[]): TimelineEvent[] {
  const shown = timeline.filter(({ e }) => e !== LEFT_OUT);
  if (shown.length <= MAX_TIMELINE_EVENTS) return shown;
  const kept = new Set<TimelineEvent>();
  for (let kind = 0; kind < KINDS; kind += 1) {
    const alike = shown.filter(({ e }) => kindOf(e) === kind);
    for (const event of spread(alike, MAX_TIMELINE_EVENTS - kept.size)) kept.add(event);
  }
  return shown.filter((event) => kept.has(event));
}

const KINDS = 4;

/** The lowest kind is the last to be left out. */
function kindOf(name: string): number {
  if (OUTCOMES.has(name)) return 0;
  if (STATES.has(name)) return 1;
  return name === "pulse" ? 3 : 2;
}

/** At most `count` of the events at equal distances, the first and the last included. */
function spread(events: readonly TimelineEvent[], count: number): readonly TimelineEvent[] {
  if (events.length <= count) return events;
  if (count < 2) return events.slice(0, count);
  const step = (events.length - 1) / (count - 1);
  return Array.from({ length: count }, (_, index) => events[Math.round(index * step)]!);
}

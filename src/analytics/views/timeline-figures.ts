import { ViewClock } from "../../../protocol/view-clock.ts";
import type { Fields } from "./fields.ts";
import { startOf, type ViewEvent } from "./view-event.ts";

/**
 * The figures of a view, computed from the times of its events. For players that report events only. Pure.
 *
 * @param statedStartupMs from a player that does not report when playback was requested; null = not stated
 */
export function timelineFigures(events: readonly ViewEvent[], statedStartupMs: number | null): Fields {
  if (events.length === 0) return {};
  const playing = events.find(({ name }) => name === "playing");
  const isAsked = events.some(({ name }) => name === "play" || name === "viewBegin");
  const startsEarlier = !isAsked && playing !== undefined && statedStartupMs !== null;
  const clock = new ViewClock(startsEarlier ? playing.atMs - statedStartupMs : startOf(events));
  for (const { name, atMs } of events) CHANGES.get(name)?.(clock, atMs);
  const { watchMs, seekMs, rebufferMs } = clock.read(Math.max(...events.map(({ atMs }) => atMs)));
  return {
    view_watch_time: watchMs,
    view_seek_count: clock.seekCount,
    view_seek_duration: seekMs,
    view_rebuffer_count: clock.rebufferCount,
    view_rebuffer_duration: rebufferMs,
    ...(clock.startupMs === null ? {} : { view_time_to_first_frame: clock.startupMs }),
  };
}

type Change = (clock: ViewClock, atMs: number) => void;
const playing: Change = (clock, atMs) => clock.playing(atMs);
const halt: Change = (clock, atMs) => clock.paused(atMs);
const seeking: Change = (clock, atMs) => clock.seeking(atMs);
const waiting: Change = (clock, atMs) => clock.waiting(atMs);

/** Names come from players. */
const CHANGES = new Map<string, Change>(
  Object.entries({
    playing,
    pause: halt,
    ended: halt,
    error: halt,
    viewCompleted: halt,
    seeking,
    waiting,
    buffering: waiting,
  }),
);

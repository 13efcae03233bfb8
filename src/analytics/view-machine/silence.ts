import { endView } from "./end-view.ts";
import type { ViewComponents } from "./components.ts";

/** A view without events for this long is over (media contract, analytics: "Ids and time rules"). */
const SILENCE_MS = 3600_000;
/** A view that has ended may be resumed for this long; players that report by CMCD send no other end of a view. */
const ENDED_SILENCE_MS = 60_000;

/**
 * Schedules the end of a view whose player falls silent. An earlier timer is kept: moving it with each beacon would double the cost of a view.
 *
 * @param dueMs when the timer is due already
 */
export function planSilence(machine: ViewComponents, dueMs = Infinity): void {
  const atMs = silentAtMs(machine);
  if (atMs < dueMs) machine.timers.schedule("silence", atMs);
}

/** Ends the view if no event arrived for long enough; otherwise waits for the rest of that time. */
export function endAfterSilence(machine: ViewComponents): void {
  const dueMs = silentAtMs(machine);
  if (dueMs > machine.clock()) machine.timers.schedule("silence", dueMs);
  else endView(machine);
}

const silentAtMs = ({ events }: ViewComponents): number =>
  events.lastReceivedAtMs + (events.lastName === "ended" ? ENDED_SILENCE_MS : SILENCE_MS);

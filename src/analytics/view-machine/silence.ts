import { endView } from "./end-view.ts";
import type { ViewComponents } from "./components.ts";

/** A view without events for this long is over (media contract, analytics: "Ids and time rules"). */
const SILENCE_MS = 3600_000;
/** After its end it may be played again for this long; players that report by CMCD name no other end of a view. */
const ENDED_SILENCE_MS = 60_000;

/**
 * Plans the end of a view whose player falls silent. A timer that is early stays: a write for each beacon would double what a view costs.
 *
 * @param dueMs when the timer is due already
 */
export function planSilence(machine: ViewComponents, dueMs = Infinity): void {
  const atMs = silentAtMs(machine);
  if (atMs < dueMs) machine.timers.schedule("silence", atMs);
}

/** Ends the view if nothing of it came for long enough, else waits for the rest of that time. */
export function endAfterSilence(machine: ViewComponents): void {
  const dueMs = silentAtMs(machine);
  if (dueMs > machine.clock()) machine.timers.schedule("silence", dueMs);
  else endView(machine);
}

const silentAtMs = ({ events }: ViewComponents): number =>
  events.lastReceivedAtMs + (events.lastName === "ended" ? ENDED_SILENCE_MS : SILENCE_MS);

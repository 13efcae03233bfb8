import type { ViewReport } from "../views/view-calls.ts";
import { keepFinalState } from "./free-view.ts";
import type { ViewComponents } from "./components.ts";
import { planSilence } from "./silence.ts";

/** Maximum age of a running view's row in the store. An end is written at once. */
const PROJECT_EVERY_MS = 30_000;
/** Wait for missing events after the last one: SDKs repeat a failed batch after 10 s. */
const SETTLE_MS = 60_000;
/** Events that end a view. */
const ENDS = new Set(["viewCompleted", "error"]);

/** Stores new events, and schedules the timers that follow from them. @returns how many were new */
export function takeEvents(
  machine: ViewComponents,
  { workspaceId, viewId, edge, events, isPassive }: ViewReport,
): number {
  const { documents, timers, state } = machine;
  const isNew = state.status === "open" && machine.events.count === 0;
  if (state.status !== "open" || (isPassive && isNew)) {
    keepFinalState(machine);
    return 0;
  }
  const nowMs = machine.clock();
  return machine.commit(() => {
    if (isNew) {
      documents.put("facts", { workspaceId, viewId, edge, insertedAtMs: nowMs });
      timers.cancel("free");
    }
    const added = machine.events.add(events, nowMs);
    if (added.length === 0) return 0;
    const due = timers.dues(); // one query for all of them
    planSilence(machine, due.silence);
    const isEnding = due.settle !== undefined || added.some(({ name }) => ENDS.has(name));
    const isComplete = isEnding && isGapless(machine);
    if (isEnding) timers.schedule("settle", isComplete ? nowMs : nowMs + SETTLE_MS);
    if (isComplete) timers.cancel("project"); // the end writes the view too
    else if (machine.events.lastName === "ended") timers.bringForward("project", nowMs);
    // A timer that is due may be running and have read the events already. It changes its time even within one millisecond: one that keeps its
    // time is deleted after its run.
    else if (due.project === undefined || due.project <= nowMs)
      timers.schedule(
        "project",
        Math.max(due.project === nowMs ? nowMs + 1 : nowMs, machine.projection.atMs + PROJECT_EVERY_MS),
      );
    return added.length;
  });
}

/** Whether every event up to the last known one has arrived. */
function isGapless({ events }: ViewComponents): boolean {
  return events.last === events.count;
}

import { playedOutAtMs } from "../views/played-out.ts";
import { keepFinalState } from "./free-view.ts";
import type { ViewParts } from "./parts.ts";

/** Ends the view: its record and its event are final. Repeatable. */
export function endView(machine: ViewParts): void {
  machine.state.move("end", () => {
    machine.timers.cancel("project", "silence", "settle");
    machine.outbox.enqueue({ kind: "ended", payload: { eventId: crypto.randomUUID() } });
    machine.timers.schedule("outbox", machine.clock());
    keepFinalState(machine);
  });
}

/** Ends a view that would be reported on for as long as its page is open. */
export function endWhenPlayedOut(machine: ViewParts): void {
  const durationMs = machine.documents.get("content")?.found?.durationMs ?? null;
  if (durationMs === null || machine.state.status !== "open") return;
  const events = machine.events.all();
  const overAtMs = playedOutAtMs(events, durationMs);
  if (overAtMs !== null && events.some(({ atMs }) => atMs > overAtMs)) endView(machine);
}

import { keepFinalState } from "./free-view.ts";
import type { ViewComponents } from "./components.ts";

/** Ends the view: its record and its event are final. Repeatable. */
export function endView(machine: ViewComponents): void {
  machine.state.move("end", () => {
    machine.timers.cancel("project", "silence", "settle");
    machine.outbox.enqueue({ kind: "ended", payload: { eventId: crypto.randomUUID() } });
    machine.timers.schedule("outbox", machine.clock());
    keepFinalState(machine);
  });
}

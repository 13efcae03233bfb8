import type { ViewComponents } from "./components.ts";
import { keepFinalState } from "./free-view.ts";

/** Deletes the view's data from its machine, which refuses events afterwards: a player that still reports does not recreate the view. Repeatable. */
export function forgetView(machine: ViewComponents): void {
  const { state, events, outbox, documents, timers } = machine;
  state.move("forget", () => {
    events.clear();
    outbox.clear();
    documents.delete("facts", "content", "projection", "month", "revision", "projectedAtMs", "eventPlace");
    timers.cancel("project", "silence", "settle", "outbox");
    keepFinalState(machine);
  });
}

import type { ViewComponents } from "./components.ts";
import { keepFinalState } from "./free-view.ts";

/** Deletes what the machine knows of its view. It takes no events any more, so a player that still reports does not bring the view back. Repeatable. */
export function forgetView(machine: ViewComponents): void {
  const { state, events, outbox, documents, timers } = machine;
  state.move("forget", () => {
    events.clear();
    outbox.clear();
    documents.delete("facts", "content", "projection", "month", "revision", "projectedAtMs");
    timers.cancel("project", "silence", "settle", "outbox");
    keepFinalState(machine);
  });
}

import type { TimerHandlers } from "../../platform/machine/timers.ts";
import { endView } from "./end-view.ts";
import type { ViewComponents, ViewTimer } from "./components.ts";
import { projectView } from "./project-view.ts";
import { endAfterSilence } from "./silence.ts";

export function viewTimers(machine: ViewComponents): TimerHandlers<ViewTimer> {
  const handlers: Record<ViewTimer, () => unknown> = {
    project: async () => {
      if (machine.state.status !== "open") return;
      const projected = await projectView(machine);
      if (projected?.isPlayedOut && machine.state.status === "open") endView(machine);
    },
    settle: () => endView(machine),
    silence: () => endAfterSilence(machine),
    outbox: () => machine.outbox.drain(),
    free: () => {}, // done by the object itself, which owns the storage
  };
  return { run: async (timer) => void (await handlers[timer]()) };
}

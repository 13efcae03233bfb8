import type { TimerHandlers } from "../../platform/machine/timers.ts";
import { endView } from "./end-view.ts";
import type { ViewParts, ViewTimer } from "./parts.ts";
import { projectView } from "./project-view.ts";
import { endAfterSilence } from "./silence.ts";

export function viewTimers(machine: ViewParts): TimerHandlers<ViewTimer> {
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

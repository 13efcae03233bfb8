import { SILENT_AFTER_MS } from "../../../protocol/live.ts";
import type { TimerHandlers } from "../../platform/machine/timers.ts";
import { isOnAir, type StreamStatus } from "../streams/moves.ts";
import { disconnect } from "./disconnect.ts";
import { endBroadcast, stopGracefully } from "./end-broadcast.ts";
import type { StreamComponents, StreamTimer } from "./components.ts";

export function streamTimers(machine: StreamComponents): TimerHandlers<StreamTimer> {
  const handlers: Record<Exclude<StreamTimer, "outbox">, () => void | Promise<void>> = {
    silence: () => onSilence(machine),
    window: () => onWindow(machine),
    maxDuration: () => onMaxDuration(machine),
    warnings: () => machine.enqueueStatus(machine.state.status),
  };
  return {
    async run(timer) {
      if (timer !== "outbox") await handlers[timer]();
      await machine.outbox.drain();
    },
  };
}

function onSilence(machine: StreamComponents): void {
  if (!isOnAir(machine.state.status)) return;
  const silentAtMs = machine.heardAtMs + SILENT_AFTER_MS;
  if (machine.clock() < silentAtMs) machine.timers.schedule("silence", silentAtMs);
  else disconnect(machine);
}

function onWindow(machine: StreamComponents): void {
  if (machine.state.status !== "disconnected") return;
  const endsAtMs = machine.session?.windowEndsAtMs ?? 0;
  if (machine.clock() < endsAtMs) machine.timers.schedule("window", endsAtMs);
  else endBroadcast(machine, "windowOver", "window_over");
}

async function onMaxDuration(machine: StreamComponents): Promise<void> {
  await stopGracefully(machine, "max_duration");
  endBroadcast(machine, "finish", "max_duration");
}

/** For the sweep: makes the silence timer and the outbox due now, and updates the row. */
export function wakeStream(machine: StreamComponents, streamId: string): { status: StreamStatus } {
  const { documents, state, timers } = machine;
  documents.put("name", streamId);
  if (isOnAir(state.status)) timers.bringForward("silence", machine.clock());
  machine.enqueueStatus(state.status);
  return { status: state.status };
}

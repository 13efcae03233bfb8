import { isOnAir, type StreamStatus } from "../streams/moves.ts";
import type { Named } from "../streams/stream-calls.ts";
import type { StreamComponents } from "./components.ts";

/** For the sweep: makes the silence timer and the outbox due now, and updates the row. */
export function wakeStream(machine: StreamComponents, { streamId }: Named): { status: StreamStatus } {
  const { documents, state, timers } = machine;
  documents.put("name", streamId);
  if (isOnAir(state.status)) timers.bringForward("silence", machine.clock());
  machine.enqueueStatus(state.status);
  return { status: state.status };
}

import { type SessionEnd, toSessionFacts } from "../sessions/session.ts";
import { isOnAir, type StreamSignal } from "../streams/moves.ts";
import { disconnect, holdPicture } from "./disconnect.ts";
import type { StopReason } from "./graceful-stop.ts";
import type { StreamComponents } from "./components.ts";
import type { Connection } from "../streams/stream-calls.ts";
import { currentSession } from "./sessions.ts";

/** A broadcaster silent for this long is unlikely to send another heartbeat before the graceful stop times out. */
const RECENT_MS = 1500;

/** Lets an active broadcaster finish the media it has. Returns at once when it is unlikely to answer. */
export async function stopGracefully(machine: StreamComponents, reason: StopReason): Promise<void> {
  if (machine.state.status !== "active" || machine.clock() - machine.heardAtMs > RECENT_MS) return;
  await machine.gracefulStop.request(reason);
}

/** Ends the broadcast, if there is one, and makes the move. @returns false when the state does not accept the signal */
export function endBroadcast(machine: StreamComponents, signal: StreamSignal, why: SessionEnd): boolean {
  const { documents, state, timers } = machine;
  if (isOnAir(state.status)) disconnect(machine);
  else if (timers.isScheduled("warnings")) machine.enqueueStatus(state.status); // the row of the idle stream keeps them
  const { session } = machine;
  const moved = machine.move(signal, () => {
    if (session === null) return;
    const ended = toSessionFacts(session, { atMs: machine.clock(), why });
    machine.enqueue("sessionEnded", { session: ended, eventId: crypto.randomUUID() });
    documents.put("last", { sessionId: session.id, why });
    documents.delete("session");
  });
  if (moved) timers.cancel("silence", "window", "maxDuration");
  return moved;
}

/** The gateway reports that its broadcaster has left and that everything it sent has arrived. */
export function endConnection(machine: StreamComponents, connection: Connection): void {
  const { documents, gracefulStop } = machine;
  const session = currentSession(machine, connection);
  if (session === null) return;
  documents.put("session", { ...session, hasLeft: true });
  // A broadcaster that sent no decodable media cannot resume; its session ends.
  if (session.facts === null) endBroadcast(machine, "windowOver", "window_over");
  else if (isOnAir(machine.state.status)) disconnect(machine);
  if (gracefulStop.reason === null) holdPicture(machine);
  gracefulStop.complete();
}

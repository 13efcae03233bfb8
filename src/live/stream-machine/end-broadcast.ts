import { logError } from "../../platform/log.ts";
import { originOf } from "../origin/origin-calls.ts";
import { type SessionEnd, toSessionFacts, waitMs } from "../sessions/session.ts";
import { isOnAir, type StreamSignal } from "../streams/moves.ts";
import type { StopReason } from "./graceful-stop.ts";
import type { StreamParts } from "./parts.ts";

/** A broadcaster silent for this long is unlikely to send another heartbeat before the graceful stop times out. */
const RECENT_MS = 1500;

/** Lets an active broadcaster finish the media it has. Returns at once when it is unlikely to answer. */
export async function stopGracefully(machine: StreamParts, reason: StopReason): Promise<void> {
  if (machine.state.status !== "active" || machine.clock() - machine.heardAtMs > RECENT_MS) return;
  await machine.gracefulStop.request(reason);
}

/** The broadcaster is gone: the reconnect window begins. */
export function disconnect(machine: StreamParts): void {
  const { session, timers } = machine;
  if (session === null) throw new Error("on air without a session");
  const windowEndsAtMs = machine.clock() + waitMs(machine.env, session.reconnectWindowS);
  machine.move("drop", () => machine.saveSession({ ...session, windowEndsAtMs }));
  timers.cancel("silence");
  timers.schedule("window", windowEndsAtMs);
}

/**
 * Has the origin repeat the last picture until the reconnect window ends. If this call is lost, the origin fills the gap when the
 * broadcaster reconnects.
 */
export function holdPicture({ ctx, env, session }: StreamParts): void {
  if (session === null || session.windowEndsAtMs === null) return;
  const { id: sessionId, streamId, connection, windowEndsAtMs } = session;
  const held = originOf(env, sessionId).hold(windowEndsAtMs, connection);
  ctx.waitUntil(
    held.catch((error: unknown) => logError("live.not_held", { streamId, sessionId, error: String(error) })),
  );
}

/** Ends the broadcast, if there is one, and makes the move. @returns false when the state does not accept the signal */
export function endBroadcast(machine: StreamParts, signal: StreamSignal, why: SessionEnd): boolean {
  const { documents, state, timers } = machine;
  if (isOnAir(state.status)) disconnect(machine);
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

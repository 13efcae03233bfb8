import { errorFields, logError } from "../../platform/log.ts";
import { originOf } from "../origin/origin-calls.ts";
import { waitMs } from "../sessions/session.ts";
import type { StreamComponents } from "./components.ts";

/** The broadcaster is gone: the reconnect window begins. */
export function disconnect(machine: StreamComponents): void {
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
export function holdPicture({ ctx, env, session }: StreamComponents): void {
  if (session === null || session.windowEndsAtMs === null) return;
  const { id: sessionId, streamId, connection, windowEndsAtMs } = session;
  const held = originOf(env, sessionId).freeze(windowEndsAtMs, connection);
  ctx.waitUntil(
    held.catch((error: unknown) => logError("live.not_held", { streamId, sessionId, ...errorFields(error) })),
  );
}

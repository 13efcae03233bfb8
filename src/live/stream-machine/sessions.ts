import type { HeartbeatAnswer } from "../../../protocol/live.ts";
import type { Session } from "../sessions/session.ts";
import type { Connection, ConnectionCheck } from "../streams/stream-calls.ts";
import type { StreamComponents } from "./components.ts";

/** The session, if this is its current connection. */
export function currentSession({ session }: StreamComponents, { sessionId, connection }: Connection): Session | null {
  const isCurrent = session?.id === sessionId && session.connection === connection && !session.hasLeft;
  return isCurrent ? session : null;
}

export function checkConnection(machine: StreamComponents, connection: Connection): ConnectionCheck {
  const latestId = machine.session?.id ?? machine.documents.get("last")?.sessionId;
  return { isCurrent: currentSession(machine, connection) !== null, isLatest: latestId === connection.sessionId };
}

/** The reason for refusing a connection. */
export function refusalOf(
  { session, documents }: StreamComponents,
  { sessionId, connection }: Connection,
): HeartbeatAnswer["reason"] {
  if (session?.id === sessionId) return connection < session.connection ? "replaced" : null;
  const last = documents.get("last");
  return last?.sessionId === sessionId && last.why !== "window_over" ? last.why : null;
}

import type { HeartbeatAnswer } from "../../../protocol/live.ts";
import type { Session } from "../sessions/session.ts";
import type { Connection } from "../streams/stream-calls.ts";
import type { StreamComponents } from "./components.ts";

/** The session, if this is its current connection. */
export function currentSession({ session }: StreamComponents, { sessionId, connection }: Connection): Session | null {
  const isCurrent = session?.id === sessionId && session.connection === connection && !session.hasLeft;
  return isCurrent ? session : null;
}

/** Whether no newer session has begun. */
export const isLatestSession = ({ session, documents }: StreamComponents, { sessionId }: Connection): boolean =>
  (session?.id ?? documents.get("last")?.sessionId) === sessionId;

/** The reason for refusing a connection. */
export function refusalOf(
  { session, documents }: StreamComponents,
  { sessionId, connection }: Connection,
): HeartbeatAnswer["reason"] {
  if (session?.id === sessionId) return connection < session.connection ? "replaced" : null;
  const last = documents.get("last");
  return last?.sessionId === sessionId && last.why !== "window_over" ? last.why : null;
}

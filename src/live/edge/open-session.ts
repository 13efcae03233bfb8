import type { OriginSession } from "../../media/live/origin-facts.ts";
import type { EdgeParts } from "./parts.ts";

/** Opens the session, or changes its renditions. @param connection the broadcaster's newest one */
export function openSession(edge: EdgeParts, session: OriginSession, connection: number): void {
  edge.acceptConnection(connection);
  edge.index.open(session);
  edge.onChange();
}

import type { EdgeParts } from "./parts.ts";

/** Accepts the connection of a returning or another broadcaster. Older connections can no longer write. */
export function acceptConnection(edge: EdgeParts, connection: number): void {
  edge.acceptConnection(connection);
  edge.holding.pause();
}

import type { Opening, Resume } from "../../../protocol/live.ts";
import type { OriginSession } from "../../media/live/origin-facts.ts";
import { logError } from "../../platform/log.ts";
import type { EdgeParts } from "./parts.ts";

/** Opens the session, or changes its renditions. @param connection the broadcaster's newest one */
export function openSession(edge: EdgeParts, session: OriginSession, connection: number): void {
  acceptConnection(edge, connection);
  edge.index.open(session);
  edge.onChange();
}

/** Accepts the connection of a returning or another broadcaster. Older connections can no longer write. */
export function reconnect(edge: EdgeParts, connection: number): void {
  acceptConnection(edge, connection);
  edge.holding.pause();
}

/** Prepares for media that does not directly continue the previous media. @returns where it begins */
export async function resumeMedia(edge: EdgeParts, opening: Opening, connection: number): Promise<Resume> {
  acceptConnection(edge, connection);
  const isWanted = () => connection === edge.connection && !edge.index.hasEnded;
  const found = await edge.holding.resume(opening, isWanted);
  await afterHold(edge);
  return found;
}

/** Begins a hold. Call after the broadcaster has left and all of its media has arrived. @param untilMs epoch ms */
export async function holdPicture(edge: EdgeParts, untilMs: number, by: number): Promise<void> {
  if (!edge.mayWrite(by)) return;
  edge.holding.begin(untilMs);
  await edge.schedule(); // before reading from R2, in case this object dies meanwhile
  await continueHold(edge);
}

export async function continueHold(edge: EdgeParts): Promise<void> {
  try {
    await edge.holding.continue(edge.clock());
  } catch (error) {
    logError("live.not_held", { sessionId: edge.sessionId, error: String(error) });
  }
  await afterHold(edge);
}

export async function afterHold(edge: EdgeParts): Promise<void> {
  edge.onChange();
  await edge.uploads.run();
}

/** Makes this connection the writing one, unless a newer one is known. */
function acceptConnection(edge: EdgeParts, connection: number): void {
  if (connection > edge.connection) edge.kv.put("connection", connection);
}

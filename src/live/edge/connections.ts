import type { Opening, Resume } from "../../../protocol/live.ts";
import type { OriginSession } from "../../media/live/origin-facts.ts";
import { log } from "../../platform/log.ts";
import type { EdgeParts } from "./parts.ts";

/** Opens the session, or changes what it consists of. @param connection the broadcaster's newest one */
export function openSession(edge: EdgeParts, session: OriginSession, connection: number): void {
  acceptConnection(edge, connection);
  edge.index.open(session);
  edge.onChange();
}

/** A broadcaster reconnects, possibly another one. Older connections may not write from now on. */
export function reconnect(edge: EdgeParts, connection: number): void {
  acceptConnection(edge, connection);
  edge.holding.pause();
}

/** Media follows that does not simply continue what came before. @returns where it begins */
export async function resumeMedia(edge: EdgeParts, opening: Opening, connection: number): Promise<Resume> {
  acceptConnection(edge, connection);
  const isWanted = () => connection === edge.connection && !edge.index.hasEnded;
  const found = await edge.holding.resume(opening, isWanted);
  await afterHold(edge);
  return found;
}

/** The broadcaster has left and everything it sent is here: its last picture is repeated. @param untilMs epoch ms */
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
    log("live.not_held", { sessionId: edge.sessionId, error: String(error) });
  }
  await afterHold(edge);
}

export async function afterHold(edge: EdgeParts): Promise<void> {
  edge.onChange();
  await edge.uploads.run();
}

/** Only the newest connection may write; an older one changes nothing. */
function acceptConnection(edge: EdgeParts, connection: number): void {
  if (connection > edge.connection) edge.kv.put("connection", connection);
}

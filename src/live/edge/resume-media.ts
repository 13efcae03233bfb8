import type { Opening, Resume } from "../../../protocol/live.ts";
import type { EdgeParts } from "./parts.ts";

/** Prepares for media that does not directly continue the previous media. @returns where it begins */
export async function resumeMedia(edge: EdgeParts, opening: Opening, connection: number): Promise<Resume> {
  edge.acceptConnection(connection);
  const isWanted = () => connection === edge.connection && !edge.index.hasEnded;
  const found = await edge.holding.resume(opening, isWanted);
  await edge.publish();
  return found;
}

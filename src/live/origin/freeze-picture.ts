import type { Opening, Resume } from "../../../protocol/live.ts";
import { errorFields, logError } from "../../platform/log.ts";
import type { OriginComponents } from "./components.ts";

/** Begins a freeze. Call after the broadcaster has left and all of its media has arrived. @param untilMs epoch ms */
export async function freezePicture(origin: OriginComponents, untilMs: number, by: number): Promise<void> {
  if (!origin.mayWrite(by)) return;
  origin.freeze.begin(untilMs);
  await origin.schedule(); // before reading from R2, in case this object crashes meanwhile
  await continueFreeze(origin);
}

/** Adds the parts of a freeze that are due. */
export async function continueFreeze(origin: OriginComponents): Promise<void> {
  try {
    await origin.freeze.continue(origin.clock());
  } catch (error) {
    logError("live.not_held", { sessionId: origin.sessionId, ...errorFields(error) });
  }
  await origin.publish();
}

/** Prepares for media that does not directly continue the previous media. @returns where it begins */
export async function resumeMedia(origin: OriginComponents, opening: Opening, connection: number): Promise<Resume> {
  origin.acceptConnection(connection);
  const isWanted = () => connection === origin.connection && !origin.index.hasEnded;
  const found = await origin.freeze.resume(opening, isWanted);
  await origin.publish();
  return found;
}

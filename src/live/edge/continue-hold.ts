import { errorFields, logError } from "../../platform/log.ts";
import type { EdgeParts } from "./parts.ts";

/** Adds the parts of a hold that are due. */
export async function continueHold(edge: EdgeParts): Promise<void> {
  try {
    await edge.holding.continue(edge.clock());
  } catch (error) {
    logError("live.not_held", { sessionId: edge.sessionId, ...errorFields(error) });
  }
  await edge.publish();
}

import { continueHold } from "./continue-hold.ts";
import type { EdgeParts } from "./parts.ts";

/** Begins a hold. Call after the broadcaster has left and all of its media has arrived. @param untilMs epoch ms */
export async function holdPicture(edge: EdgeParts, untilMs: number, by: number): Promise<void> {
  if (!edge.mayWrite(by)) return;
  edge.holding.begin(untilMs);
  await edge.schedule(); // before reading from R2, in case this object crashes meanwhile
  await continueHold(edge);
}

import { continueHold } from "./continue-hold.ts";
import { deleteSession } from "./delete-session.ts";
import type { EdgeParts } from "./parts.ts";

/** Runs the work that is due: deletes the session, continues its hold or retries its uploads. */
export async function onAlarm(edge: EdgeParts): Promise<void> {
  const nowMs = edge.clock();
  if (nowMs >= edge.releaseAtMs) return await deleteSession(edge);
  if (edge.holding.dueAtMs(nowMs) < Infinity) await continueHold(edge);
  else await edge.publish();
}

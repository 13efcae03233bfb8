import { continueFreeze } from "./freeze-picture.ts";
import { deleteSession } from "./release.ts";
import type { OriginComponents } from "./components.ts";

/** Runs the work that is due: deletes the session, continues its freeze or retries its uploads. */
export async function onAlarm(origin: OriginComponents): Promise<void> {
  const nowMs = origin.clock();
  if (nowMs >= origin.releaseAtMs) return await deleteSession(origin);
  if (origin.freeze.dueAtMs(nowMs) < Infinity) await continueFreeze(origin);
  else await origin.publish();
}

import type { EdgeParts } from "./parts.ts";

/** Deletes a session whose release was lost. Writing a recording, which calls `release`, takes less time than this. */
const LOST_RELEASE_MS = 7 * 24 * 3600_000;

/** Schedules the deletion of a session that ended before this deletion was introduced, or whose release was lost. */
export async function scheduleLostRelease(edge: EdgeParts): Promise<void> {
  const { storage } = edge.ctx;
  const releaseAtMs = edge.clock() + LOST_RELEASE_MS;
  storage.kv.put("releaseAtMs", releaseAtMs);
  if ((await storage.getAlarm()) === null) await storage.setAlarm(releaseAtMs);
}

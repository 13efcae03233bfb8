import { errorFields, log, logWarning } from "../../platform/log.ts";
import { renditionKey } from "../../platform/storage/keys.ts";
import type { OriginComponents } from "./components.ts";
import { OriginIndex } from "./index/origin-index.ts";

/**
 * Ends the session and its playlists, and answers waiting requests. When this returns, every segment is in R2; the last one may be short.
 *
 * @throws {Error} when an upload to R2 failed; call again
 */
export async function endSession(origin: OriginComponents): Promise<void> {
  origin.index.end();
  origin.onChange();
  await origin.uploads.run();
  await origin.uploads.run(); // an earlier run may have read the index before the end
  const { session, store } = origin.index;
  if (session !== null && store.unstored(1).length > 0)
    throw new Error("some segments of the session are not in R2 yet");
}

/** Deletes the index of an ended session after `afterMs`. Until then, players can play to the end. */
export async function releaseSession(origin: OriginComponents, afterMs: number): Promise<void> {
  if (!origin.index.hasEnded) return;
  origin.kv.put("releaseAtMs", origin.clock() + afterMs);
  await origin.schedule();
}

/** Deletes a session whose release was lost. Writing a recording, which calls `release`, takes less time than this. */
const LOST_RELEASE_MS = 7 * 24 * 3600_000;

/** Schedules the deletion of a session that ended before this deletion was introduced, or whose release was lost. */
export async function scheduleLostRelease(origin: OriginComponents): Promise<void> {
  const { storage } = origin.ctx;
  const releaseAtMs = origin.clock() + LOST_RELEASE_MS;
  storage.kv.put("releaseAtMs", releaseAtMs);
  if ((await storage.getAlarm()) === null) await storage.setAlarm(releaseAtMs);
}

/** R2's limit of keys per call. */
const DELETE_AT_ONCE = 1000;
const RELEASE_RETRY_MS = 60_000;

/** Deletes the session from this object. Sets another alarm when R2 fails, because the platform abandons an alarm that keeps throwing. */
export async function deleteSession(origin: OriginComponents): Promise<void> {
  const { sessionId } = origin;
  const { storage } = origin.ctx;
  try {
    await deleteFrozenSegments(origin);
  } catch (error) {
    logWarning("live.origin_not_deleted", { sessionId, ...errorFields(error) });
    return await storage.setAlarm(origin.clock() + RELEASE_RETRY_MS);
  }
  log("live.origin_deleted", { sessionId });
  await storage.deleteAlarm();
  await storage.deleteAll();
  origin.index = new OriginIndex(storage);
}

/** Segments of a freeze at the end of a broadcast are not part of its recording. */
async function deleteFrozenSegments({ env, freeze, index }: OriginComponents): Promise<void> {
  const { session, all } = index;
  const { firstMsn } = freeze;
  if (session === null || firstMsn === null) return;
  const keys = all.flatMap(({ name, segments }) => {
    const count = Math.max(0, (segments.at(-1)?.msn ?? -1) + 1 - firstMsn);
    return Array.from({ length: count }, (_, n) => renditionKey(session.sessionId, name, `${firstMsn + n}.m4s`));
  });
  for (let at = 0; at < keys.length; at += DELETE_AT_ONCE) await env.MEDIA.delete(keys.slice(at, at + DELETE_AT_ONCE));
}

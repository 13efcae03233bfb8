import { log, logWarning } from "../../platform/log.ts";
import { renditionKey } from "../../platform/storage/keys.ts";
import { OriginIndex } from "../origin/origin-index.ts";
import { afterHold, continueHold } from "./connections.ts";
import type { EdgeParts } from "./parts.ts";

/** R2's limit of keys per call. */
const DELETE_AT_ONCE = 1000;
/** Deletes a session whose release was lost. Writing a recording, which calls `release`, takes less time than this. */
const LOST_RELEASE_MS = 7 * 24 * 3600_000;
const RELEASE_RETRY_MS = 60_000;

/**
 * Ends the session and its playlists, and answers waiting requests. When this returns, every segment is in R2; the last one may be short.
 *
 * @throws {Error} when an upload to R2 failed; call again
 */
export async function endSession(edge: EdgeParts): Promise<void> {
  edge.index.end();
  edge.onChange();
  await edge.uploads.run();
  await edge.uploads.run(); // an earlier run may have read the index before the end
  if (edge.index.session !== null && edge.index.store.unstored(1).length > 0)
    throw new Error("some segments of the session are not in R2 yet");
}

/** Deletes the index of an ended session after `afterMs`. Until then, players can play to the end. */
export async function releaseSession(edge: EdgeParts, afterMs: number): Promise<void> {
  if (!edge.index.hasEnded) return;
  edge.kv.put("releaseAtMs", edge.clock() + afterMs);
  await edge.schedule();
}

/** Schedules the deletion of a session that ended before releases existed, or whose release was lost. */
export async function scheduleLostRelease(edge: EdgeParts): Promise<void> {
  const { storage } = edge.ctx;
  const releaseAtMs = edge.clock() + LOST_RELEASE_MS;
  storage.kv.put("releaseAtMs", releaseAtMs);
  if ((await storage.getAlarm()) === null) await storage.setAlarm(releaseAtMs);
}

export async function onAlarm(edge: EdgeParts): Promise<void> {
  const nowMs = edge.clock();
  if (nowMs >= edge.releaseAtMs) return await deleteSession(edge);
  if (edge.holding.dueAtMs(nowMs) < Infinity) await continueHold(edge);
  else await afterHold(edge);
}

/** Sets another alarm when R2 fails, because the platform abandons an alarm that keeps throwing. */
async function deleteSession(edge: EdgeParts): Promise<void> {
  const { sessionId } = edge;
  const { storage } = edge.ctx;
  try {
    await deleteHeldSegments(edge);
  } catch (error) {
    logWarning("live.origin_not_deleted", { sessionId, error: String(error) });
    return await storage.setAlarm(edge.clock() + RELEASE_RETRY_MS);
  }
  log("live.origin_deleted", { sessionId });
  await storage.deleteAlarm();
  await storage.deleteAll();
  edge.index = new OriginIndex(storage);
}

/** Segments of a hold at the end of a broadcast are not part of its recording. */
async function deleteHeldSegments({ env, holding, index }: EdgeParts): Promise<void> {
  const { session, all } = index;
  const { firstMsn } = holding;
  if (session === null || firstMsn === null) return;
  const keys = all.flatMap(({ name, segments }) => {
    const count = Math.max(0, (segments.at(-1)?.msn ?? -1) + 1 - firstMsn);
    return Array.from({ length: count }, (_, n) => renditionKey(session.sessionId, name, `${firstMsn + n}.m4s`));
  });
  for (let at = 0; at < keys.length; at += DELETE_AT_ONCE) await env.MEDIA.delete(keys.slice(at, at + DELETE_AT_ONCE));
}

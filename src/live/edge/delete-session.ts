import { errorFields, log, logWarning } from "../../platform/log.ts";
import { renditionKey } from "../../platform/storage/keys.ts";
import { OriginIndex } from "../origin/origin-index.ts";
import type { EdgeParts } from "./parts.ts";

/** R2's limit of keys per call. */
const DELETE_AT_ONCE = 1000;
const RELEASE_RETRY_MS = 60_000;

/** Deletes the session from this object. Sets another alarm when R2 fails, because the platform abandons an alarm that keeps throwing. */
export async function deleteSession(edge: EdgeParts): Promise<void> {
  const { sessionId } = edge;
  const { storage } = edge.ctx;
  try {
    await deleteHeldSegments(edge);
  } catch (error) {
    logWarning("live.origin_not_deleted", { sessionId, ...errorFields(error) });
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

import { and, eq, inArray, isNull, ne } from "drizzle-orm";
import { isSessionOf } from "../live/index.ts";
import { assets } from "../library/assets/index.ts";
import { ACCESS_COLUMNS, type AccessRules, playbackIds } from "../tenancy/access/index.ts";
import { openDatabase } from "../platform/database.ts";

/** `rules` of its first playback ID: null until the recording is ready, and when there is none. */
export interface Recording {
  rules: AccessRules | null;
  /** How long it lasts; null like `rules`. */
  durationMs: number | null;
  /** The recording is still being written to R2. */
  isPending: boolean;
}

/**
 * The recording of a live session, unless it was deleted or failed.
 *
 * @param policies of the recordings that the viewer of the stream may play
 */
export async function findRecording(
  binding: D1Database,
  sessionId: string,
  policies: readonly AccessRules["accessPolicy"][],
): Promise<Recording> {
  const found = await openDatabase(binding)
    .select({ rules: ACCESS_COLUMNS, status: assets.status, durationMs: assets.durationMs })
    .from(playbackIds)
    .innerJoin(assets, eq(assets.id, playbackIds.targetId))
    .where(
      and(
        eq(playbackIds.targetId, sessionId), // a recording has the session's id
        inArray(playbackIds.accessPolicy, [...policies]),
        ne(assets.status, "errored"),
        isNull(assets.deletedAt),
      ),
    )
    .orderBy(playbackIds.createdAt)
    .limit(1);
  const [recording] = found;
  if (recording === undefined) return { rules: null, durationMs: null, isPending: false };
  if (recording.status !== "ready") return { rules: null, durationMs: null, isPending: true };
  return { rules: recording.rules, durationMs: recording.durationMs, isPending: false };
}

/** Whether a live session, its recording or a clip of it is of the stream. */
export async function isOfStream(binding: D1Database, streamId: string, targetId: string): Promise<boolean> {
  const db = openDatabase(binding);
  if (await isSessionOf(db, streamId, targetId)) return true;
  return (await db.$count(assets, and(eq(assets.id, targetId), eq(assets.streamId, streamId)))) > 0;
}

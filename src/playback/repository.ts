import { and, eq, isNull, ne } from "drizzle-orm";
import { assets } from "../library/assets/index.ts";
import { isPublicId, playbackIds } from "../tenancy/access/index.ts";
import { openDatabase } from "../platform/database.ts";

/** `playbackId`: null until the recording is ready, and when there is none. */
interface Recording {
  playbackId: string | null;
  /** The recording is still being written to R2. */
  isPending: boolean;
}

/** The recording of a live session, unless it was deleted or failed. */
export async function findRecording(binding: D1Database, sessionId: string): Promise<Recording> {
  const found = await openDatabase(binding)
    .select({ id: playbackIds.id, status: assets.status })
    .from(playbackIds)
    .innerJoin(assets, eq(assets.id, playbackIds.targetId))
    .where(
      and(
        eq(playbackIds.targetId, sessionId), // a recording has the session's id
        isPublicId(),
        ne(assets.status, "errored"),
        isNull(assets.deletedAt),
      ),
    )
    .orderBy(playbackIds.createdAt)
    .limit(1);
  const [recording] = found;
  if (recording === undefined) return { playbackId: null, isPending: false };
  return { playbackId: recording.status === "ready" ? recording.id : null, isPending: recording.status !== "ready" };
}

/** The URL an asset's source was fetched from; null for an unknown or deleted asset. */
export async function findSourceUrl(binding: D1Database, assetId: string): Promise<string | null> {
  const [asset] = await openDatabase(binding)
    .select({ url: assets.sourceUrl })
    .from(assets)
    .where(and(eq(assets.id, assetId), isNull(assets.deletedAt)));
  return asset?.url ?? null;
}

import { and, eq, isNull, ne } from "drizzle-orm";
import { assets } from "../library/assets/index.ts";
import { playbackIds } from "../tenancy/access/index.ts";
import { openDatabase } from "../platform/database.ts";

/** `playbackId`: under which it plays; null while it does not, and when there is none. */
interface Recording {
  playbackId: string | null;
  /** It is being made: not all of it is in R2 yet. */
  isPending: boolean;
}

/** The recording of a live session. One that has been deleted or has failed is none. */
export async function findRecording(binding: D1Database, sessionId: string): Promise<Recording> {
  const found = await openDatabase(binding)
    .select({ id: playbackIds.id, status: assets.status })
    .from(playbackIds)
    .innerJoin(assets, eq(assets.id, playbackIds.targetId))
    .where(
      and(
        eq(playbackIds.targetId, sessionId), // a recording has the session's id
        eq(playbackIds.accessPolicy, "public"),
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

/** Where the source of an asset was fetched from; null for an unknown or deleted one. */
export async function findSourceUrl(binding: D1Database, assetId: string): Promise<string | null> {
  const [asset] = await openDatabase(binding)
    .select({ url: assets.sourceUrl })
    .from(assets)
    .where(and(eq(assets.id, assetId), isNull(assets.deletedAt)));
  return asset?.url ?? null;
}

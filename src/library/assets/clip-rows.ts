/** Queries and changes of the assets of clips of streams whose segments are still being copied. */
import { and, asc, eq, inArray, isNotNull, isNull, lt } from "drizzle-orm";
import type { Database } from "../../platform/database.ts";
import { assets, isProcessing } from "./tables.ts";

const isAlive = isNull(assets.deletedAt);
/** Clips of media have a machine of their own, and share the bytes (`clips/shared-media.ts`). */
const isOfStream = isNotNull(assets.streamId);

/** Whether clips are still being copied from an asset's bytes. */
export async function hasClipsUnderWay(db: Database, id: string): Promise<boolean> {
  const rows = await db
    .select({ id: assets.id })
    .from(assets)
    .where(and(eq(assets.sourceAssetId, id), isOfStream, eq(assets.status, "processing"), isAlive))
    .limit(1);
  return rows.length > 0;
}

/** The clip whose segments are to be copied; null when that is done, has failed, or the clip is deleted. */
export async function findUncopiedClip(
  db: Database,
  id: string,
): Promise<{ sourceAssetId: string; clipStartMs: number; clipEndMs: number } | null> {
  const [clip] = await db
    .select({ sourceAssetId: assets.sourceAssetId, clipStartMs: assets.clipStartMs, clipEndMs: assets.clipEndMs })
    .from(assets)
    .where(and(eq(assets.id, id), isProcessing, isAlive));
  if (clip === undefined || clip.sourceAssetId === null) return null;
  return { sourceAssetId: clip.sourceAssetId, clipStartMs: clip.clipStartMs, clipEndMs: clip.clipEndMs ?? 0 };
}

/** Takes clips that are not copied and unchanged since `before`, the longest ago first, and marks them as changed now. @returns their ids */
export async function takeStalledClips(db: Database, before: Date, now: Date, limit: number): Promise<string[]> {
  const chosen = db
    .select({ id: assets.id })
    .from(assets)
    .where(and(isProcessing, isNotNull(assets.sourceAssetId), isOfStream, isAlive, lt(assets.updatedAt, before)))
    .orderBy(asc(assets.updatedAt))
    .limit(limit);
  const rows = await db
    .update(assets)
    .set({ updatedAt: now })
    .where(inArray(assets.id, chosen))
    .returning({ id: assets.id });
  return rows.map(({ id }) => id);
}

/** Queries and changes of what clips share with the media that they were cut from. */
import { and, count, eq, gt, sql, type SQL } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Database, Statement } from "../../platform/database.ts";
import { sharedMedia } from "./tables.ts";

/** New clips per workspace and minute. Each makes an encoder start a job or two, and can name the same media as another one. */
export const CLIPS_PER_MINUTE = 60;
const MINUTE_MS = 60_000;

/**
 * Keeps the bytes of the media that a clip is cut from. Without effect when that media has been deleted: then the clip fails, and the purge of the
 * media, which begins after its deletion, cannot have missed the row.
 *
 * @param sourceId the media that the clip names, which may be a clip itself
 */
export const keepOwner = (
  db: Database,
  { mediaId, workspaceId, sourceId, now }: { mediaId: string; workspaceId: string; sourceId: string; now: Date },
): Statement =>
  db.run(
    sql`INSERT INTO ${sharedMedia} (media_id, workspace_id, owner_id, created_at)
      SELECT ${mediaId}, ${workspaceId}, coalesce((SELECT owner_id FROM ${sharedMedia} WHERE media_id = ${sourceId}), ${sourceId}), ${now.getTime()}
      FROM assets WHERE id = ${sourceId} AND deleted_at IS NULL AND status = 'ready'`,
  );

/** The media whose bytes a clip uses; null = none, because it was deleted before the clip was made. */
export async function ownerOf(db: Database, mediaId: string): Promise<string | null> {
  const [row] = await db
    .select({ ownerId: sharedMedia.ownerId })
    .from(sharedMedia)
    .where(eq(sharedMedia.mediaId, mediaId));
  return row?.ownerId ?? null;
}

/** Whether clips use bytes of a media. */
export async function isShared(db: Database, ownerId: string): Promise<boolean> {
  const rows = await db
    .select({ mediaId: sharedMedia.mediaId })
    .from(sharedMedia)
    .where(eq(sharedMedia.ownerId, ownerId))
    .limit(1);
  return rows.length > 0;
}

/** SQL condition on a media's id. */
export const isUnshared = (id: SQL | SQLiteColumn): SQL =>
  sql`NOT EXISTS (SELECT 1 FROM ${sharedMedia} WHERE owner_id = ${id})`;

/** The clip is gone. */
export const releaseOwner = (db: Database, mediaId: string) =>
  db.update(sharedMedia).set({ ownerId: null }).where(eq(sharedMedia.mediaId, mediaId));

const areRecent = (workspaceId: string, now: Date) =>
  and(eq(sharedMedia.workspaceId, workspaceId), gt(sharedMedia.createdAt, new Date(now.getTime() - MINUTE_MS)));

/** Ends the commit of a creation at the limit, by a violation of NOT NULL. Deleted clips count. */
export const clipRateCheck = (db: Database, workspaceId: string, now: Date): Statement =>
  db.run(
    sql`UPDATE workspace_usage SET media_count = NULL WHERE workspace_id = ${workspaceId}
      AND (SELECT count(*) FROM ${sharedMedia} WHERE ${areRecent(workspaceId, now)}) >= ${CLIPS_PER_MINUTE}`,
  );

export async function isAtClipRate(db: Database, workspaceId: string, now: Date): Promise<boolean> {
  const [row] = await db.select({ clips: count() }).from(sharedMedia).where(areRecent(workspaceId, now));
  return (row?.clips ?? 0) >= CLIPS_PER_MINUTE;
}

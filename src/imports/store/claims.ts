/** Queries and changes of `imported_videos` and `migrated_playback_ids`. */
import { and, eq, sql } from "drizzle-orm";
import type { Database, Statement } from "../../platform/database.ts";
import type { SourceKind } from "../sources/source.ts";
import { importedVideos, migratedPlaybackIds } from "./tables.ts";

export type ImportedVideo = typeof importedVideos.$inferSelect;

/** Whose videos are meant. */
export interface SourceAccount {
  workspaceId: string;
  source: SourceKind;
  account: string;
}

/** Which of these videos the workspace has, by their ids at the source. One query, whose ids are one parameter. */
export async function findImported(
  db: Database,
  { workspaceId, source, account }: SourceAccount,
  sourceIds: readonly string[],
): Promise<Map<string, ImportedVideo>> {
  if (sourceIds.length === 0) return new Map();
  const rows = await db
    .select()
    .from(importedVideos)
    .where(
      and(
        eq(importedVideos.workspaceId, workspaceId),
        eq(importedVideos.source, source),
        eq(importedVideos.account, account),
        sql`${importedVideos.sourceId} IN (SELECT value FROM json_each(${JSON.stringify(sourceIds)}))`,
      ),
    );
  return new Map(rows.map((row) => [row.sourceId, row]));
}

/** For the commit that creates the media, which fails as a whole when the workspace has this video. */
export const insertClaim = (db: Database, row: ImportedVideo, oldPlaybackIds: readonly string[]): Statement[] => [
  db.insert(importedVideos).values(row),
  ...insertOldPlaybackIds(db, row, oldPlaybackIds),
];

/** Those that no other media of the workspace has. */
export const insertOldPlaybackIds = (
  db: Database,
  {
    workspaceId,
    source,
    playbackId,
    mediaId,
  }: Pick<ImportedVideo, "workspaceId" | "source" | "playbackId" | "mediaId">,
  oldPlaybackIds: readonly string[],
): Statement[] =>
  oldPlaybackIds.map((oldPlaybackId) =>
    db
      .insert(migratedPlaybackIds)
      .values({ workspaceId, source, oldPlaybackId, playbackId, mediaId })
      .onConflictDoNothing(),
  );

/** Of a media that failed: its video may come again, and its old playback IDs lead nowhere. */
export const deleteClaims = (db: Database, mediaId: string): Statement[] => [
  db.delete(importedVideos).where(eq(importedVideos.mediaId, mediaId)),
  db.delete(migratedPlaybackIds).where(eq(migratedPlaybackIds.mediaId, mediaId)),
];

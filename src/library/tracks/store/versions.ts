import { and, desc, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Database, Statement } from "../../../platform/database.ts";
import type { AddedTrack } from "./repository.ts";
import { addedTracks } from "./tables.ts";
import { captionVersions } from "./version-tables.ts";

export type CaptionVersion = typeof captionVersions.$inferSelect;

/** The last ones are kept, as far as their texts have this size in all. */
const KEPT_VERSIONS = 20;
const KEPT_VERSION_BYTES = 20 * 1024 * 1024;

/** The text that a track has. Its first one is no row until it is replaced. */
export const currentOf = ({ captions }: Pick<AddedTrack, "captions">): { version: number; folder: string } => ({
  version: captions?.version ?? 1,
  folder: captions?.folder ?? "",
});

/** The newest first. */
export const versionsOf = (db: Database, trackId: string) =>
  db.select().from(captionVersions).where(eq(captionVersions.trackId, trackId)).orderBy(desc(captionVersions.version));

/** Those that are not kept any more. @param versions the newest first */
export function expiredOf(versions: readonly CaptionVersion[]): CaptionVersion[] {
  let bytes = 0;
  const end = versions.findIndex((version, position) => {
    bytes += version.bytes;
    return position >= KEPT_VERSIONS || (position > 0 && bytes > KEPT_VERSION_BYTES);
  });
  return end < 0 ? [] : versions.slice(end);
}

/** Without effect where the condition is false. */
export const insertVersionIf = (db: Database, row: CaptionVersion, condition: SQL): Statement =>
  db.run(
    sql`INSERT OR IGNORE INTO ${captionVersions} (track_id, version, folder, cue_count, bytes, restored_from, created_at)
      SELECT ${row.trackId}, ${row.version}, ${row.folder}, ${row.cueCount}, ${row.bytes}, ${row.restoredFrom}, ${row.createdAt.getTime()}
      WHERE ${condition}`,
  );

export const deleteVersion = (db: Database, { trackId, version }: CaptionVersion) =>
  db.delete(captionVersions).where(and(eq(captionVersions.trackId, trackId), eq(captionVersions.version, version)));

/** Of a deleted track. Without effect where the condition is false. */
export const deleteVersionsIf = (db: Database, trackId: string, condition: SQL): Statement =>
  db.delete(captionVersions).where(and(eq(captionVersions.trackId, trackId), condition));

/** Of all tracks of a deleted asset, before these are deleted. */
export const deleteVersionsOf = (db: Database, assetId: string) =>
  db
    .delete(captionVersions)
    .where(
      inArray(
        captionVersions.trackId,
        db.select({ id: addedTracks.id }).from(addedTracks).where(eq(addedTracks.assetId, assetId)),
      ),
    );

import { and, eq, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { assets, isListed } from "../../library/assets/index.ts";
import { addedTracks, currentOf } from "../../library/tracks/store/index.ts";
import type { Database } from "../../platform/database.ts";
import { pendingChange } from "./changes.ts";
import { TITLE } from "./cue-index.ts";
import type { FoundHit } from "./find-hits.ts";

/**
 * Leaves out what D1 says otherwise of: media and tracks that have been deleted, and texts and titles that have been replaced since they were indexed.
 *
 * @returns also whether the index has changes of the workspace to take over
 */
export async function currentHits(
  db: Database,
  workspaceId: string,
  hits: readonly FoundHit[],
): Promise<{ current: FoundHit[]; isIndexing: boolean }> {
  const mediaIds = hits.map(({ key: [, mediaId] }) => mediaId);
  const trackIds = hits.map(({ key: [, , , trackId] }) => trackId);
  const [media, tracks, pending] = await db.batch([
    db
      .select({ id: assets.id, title: assets.title })
      .from(assets)
      .where(and(isOneOf(assets.id, mediaIds), eq(assets.workspaceId, workspaceId), isListed)),
    db
      .select({ id: addedTracks.id, captions: addedTracks.captions })
      .from(addedTracks)
      .where(and(isOneOf(addedTracks.id, trackIds), eq(addedTracks.status, "available"))),
    pendingChange(db, workspaceId),
  ]);
  const titles = new Map(media.map(({ id, title }) => [id, title]));
  const versions = new Map(tracks.map(({ id, captions }) => [id, currentOf({ captions }).version]));
  const isCurrent = ({ key: [, mediaId, , trackId], version, text }: FoundHit) =>
    titles.has(mediaId) && (trackId === TITLE ? titles.get(mediaId) === text : versions.get(trackId) === version);
  return { current: hits.filter(isCurrent), isIndexing: pending.length > 0 };
}

/** With one bound parameter: a statement has at most 100. */
const isOneOf = (column: SQLiteColumn, values: readonly string[]): SQL =>
  sql`${column} IN (SELECT value FROM json_each(${JSON.stringify([...new Set(values)])}))`;

import { and, asc, eq, inArray, sql } from "drizzle-orm";
import { assets, isListed } from "../../library/assets/index.ts";
import { addedTracks, currentOf } from "../../library/tracks/store/index.ts";
import type { Database } from "../../platform/database.ts";

/** What of a media is searched, by D1. */
export interface MediaTexts {
  mediaId: string;
  createdMs: number;
  title: string | null;
  /** The subtitle tracks that are available. */
  tracks: { id: string; version: number; folder: string }[];
}

const COLUMNS = { id: assets.id, title: assets.title, createdAt: assets.createdAt };
type AssetRow = { id: string; title: string | null; createdAt: Date };

/** @param ids at most 90; those that are not listed are left out */
export async function textsOf(db: Database, workspaceId: string, ids: readonly string[]): Promise<MediaTexts[]> {
  const isAsked = and(eq(assets.workspaceId, workspaceId), inArray(assets.id, [...ids]), isListed);
  return withTracks(db, await db.select(COLUMNS).from(assets).where(isAsked));
}

/** A place in the media of a workspace: the time of creation and the id of one. */
export interface MediaPlace {
  createdMs: number;
  mediaId: string;
}

/** The texts of all media, in the order of their creation. @param limit at most 90 media */
export async function textsAfter(
  db: Database,
  workspaceId: string,
  { createdMs, mediaId }: MediaPlace,
  limit: number,
): Promise<MediaTexts[]> {
  const isAfter = sql`(${assets.createdAt}, ${assets.id}) > (${createdMs}, ${mediaId})`;
  const rows = await db
    .select(COLUMNS)
    .from(assets)
    .where(and(eq(assets.workspaceId, workspaceId), isListed, isAfter))
    .orderBy(asc(assets.createdAt), asc(assets.id))
    .limit(limit);
  return await withTracks(db, rows);
}

async function withTracks(db: Database, rows: readonly AssetRow[]): Promise<MediaTexts[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const isText = and(
    inArray(addedTracks.assetId, ids),
    eq(addedTracks.kind, "subtitle"),
    eq(addedTracks.status, "available"),
  );
  const { id, assetId, captions } = addedTracks;
  const tracks = await db.select({ id, assetId, captions }).from(addedTracks).where(isText);
  const byAsset = Map.groupBy(tracks, (track) => track.assetId);
  return rows.map((row) => ({
    mediaId: row.id,
    createdMs: row.createdAt.getTime(),
    title: row.title,
    tracks: (byAsset.get(row.id) ?? []).map((track) => ({ id: track.id, ...currentOf(track) })),
  }));
}

/** Queries and changes of `playlists` and `playlist_media`. No other room writes these tables. */
import { and, asc, count, desc, eq, gte, inArray, isNull, lt, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Database } from "../../platform/database.ts";
import { playbackHolds, playbackIds } from "../../tenancy/access/index.ts";
import { type Asset, type AssetRecord, assets, isListed, tracks } from "../assets/index.ts";
import { type DayRange, playlistMedia, playlists } from "./tables.ts";

export type Playlist = typeof playlists.$inferSelect;
/** A playlist with the media that it lists. */
export interface PlaylistContent {
  playlist: Playlist;
  media: AssetRecord[];
}

const DAY_MS = 24 * 3600_000;
const isAlive = isNull(assets.deletedAt);

export const insertPlaylist = (db: Database, playlist: Playlist) => db.insert(playlists).values(playlist);

export const countPlaylists = (db: Database, workspaceId: string): Promise<number> =>
  db.$count(playlists, eq(playlists.workspaceId, workspaceId));

export async function findPlaylist(db: Database, workspaceId: string, id: string): Promise<Playlist | null> {
  const [found] = await db.select().from(playlists).where(isPlaylist(workspaceId, id));
  return found ?? null;
}

export async function isReferenceTaken(db: Database, workspaceId: string, referenceId: string): Promise<boolean> {
  const taken = and(eq(playlists.workspaceId, workspaceId), eq(playlists.referenceId, referenceId));
  return (await db.$count(playlists, taken)) > 0;
}

/** The media that a playlist lists, in its order. Tracks that were added and results of AI are left out. */
export async function mediaOf(db: Database, playlist: Playlist): Promise<AssetRecord[]> {
  const listed = await assetsOf(db, playlist);
  const isListed = (id: SQLWrapper) =>
    sql`${id} IN (SELECT value FROM json_each(${idList(listed.map((asset) => asset.id))}))`;
  const [ids, trackRows, holds] = await db.batch([
    db.select().from(playbackIds).where(isListed(playbackIds.targetId)).orderBy(asc(playbackIds.createdAt)),
    db.select().from(tracks).where(isListed(tracks.assetId)),
    db.select({ id: playbackHolds.targetId }).from(playbackHolds).where(isListed(playbackHolds.targetId)),
  ]);
  const held = new Set(holds.map(({ id }) => id));
  const idsOf = Map.groupBy(ids, ({ targetId }) => targetId);
  const tracksOf = Map.groupBy(trackRows, ({ assetId }) => assetId);
  return listed.map((asset) => ({
    asset,
    playbackIds: idsOf.get(asset.id) ?? [],
    tracks: tracksOf.get(asset.id) ?? [],
    addedTracks: [],
    insights: [],
    isHeld: held.has(asset.id),
  }));
}

/** The same, without what belongs to them. */
export function assetsOf(db: Database, playlist: Playlist): Promise<Asset[]> {
  if (playlist.type === "smart") {
    const direction = playlist.playOrder === "createdDate DESC" ? desc : asc;
    return db
      .select()
      .from(assets)
      .where(isWanted(playlist))
      .orderBy(direction(assets.createdAt), direction(assets.id))
      .limit(playlist.mediaLimit);
  }
  return db
    .select({ asset: assets })
    .from(playlistMedia)
    .innerJoin(assets, and(eq(assets.id, playlistMedia.assetId), isAlive))
    .where(eq(playlistMedia.playlistId, playlist.id))
    .orderBy(asc(playlistMedia.position))
    .limit(playlist.mediaLimit)
    .then((rows) => rows.map(({ asset }) => asset));
}

/** The number of media that each playlist lists, in one batch. */
async function countMedia(db: Database, lists: Playlist[]): Promise<number[]> {
  const [first, ...rest] = lists.map((playlist) => mediaCount(db, playlist));
  if (first === undefined) return [];
  const counts = await db.batch([first, ...rest]);
  return lists.map(({ mediaLimit }, n) => Math.min(counts[n]?.[0]?.total ?? 0, mediaLimit));
}

function mediaCount(db: Database, playlist: Playlist) {
  const members = db
    .select({ id: playlistMedia.assetId })
    .from(playlistMedia)
    .where(eq(playlistMedia.playlistId, playlist.id));
  const listed = playlist.type === "smart" ? isWanted(playlist) : and(inArray(assets.id, members), isAlive);
  return db.select({ total: count() }).from(assets).where(listed);
}

/** The media that a smart playlist's criteria match. */
function isWanted({ workspaceId, criteria }: Playlist): SQL | undefined {
  const within = (column: typeof assets.createdAt | typeof assets.updatedAt, { startDate, endDate }: DayRange = {}) => [
    startDate === undefined ? undefined : gte(column, new Date(startDate)),
    endDate === undefined ? undefined : lt(column, new Date(Date.parse(endDate) + DAY_MS)),
  ];
  return and(
    eq(assets.workspaceId, workspaceId),
    isListed,
    ...within(assets.createdAt, criteria?.createdDate),
    ...within(assets.updatedAt, criteria?.updatedDate),
  );
}

/** Newest first. @param page counts from 1 */
export async function listPlaylists(
  db: Database,
  workspaceId: string,
  { page, limit }: { page: number; limit: number },
): Promise<{ playlists: { playlist: Playlist; mediaCount: number }[]; total: number }> {
  const mine = eq(playlists.workspaceId, workspaceId);
  const [rows, totals] = await db.batch([
    db
      .select()
      .from(playlists)
      .where(mine)
      .orderBy(desc(playlists.createdAt), desc(playlists.id))
      .limit(limit)
      .offset((page - 1) * limit),
    db.select({ total: count() }).from(playlists).where(mine),
  ]);
  const counts = await countMedia(db, rows);
  const listed = rows.map((playlist, n) => ({ playlist, mediaCount: counts[n]! }));
  return { playlists: listed, total: totals[0]?.total ?? 0 };
}

export async function renamePlaylist(
  db: Database,
  { id, workspaceId }: { id: string; workspaceId: string },
  change: Pick<Playlist, "name" | "description" | "updatedAt">,
): Promise<Playlist | null> {
  const [changed] = await db.update(playlists).set(change).where(isPlaylist(workspaceId, id)).returning();
  return changed ?? null;
}

/** @returns null when there is no such playlist */
export async function deletePlaylist(db: Database, workspaceId: string, id: string): Promise<{ id: string } | null> {
  const [[deleted]] = await db.batch([
    db.delete(playlists).where(isPlaylist(workspaceId, id)).returning({ id: playlists.id }),
    // Ids are unguessable, and a playlist of another workspace still has its row.
    db
      .delete(playlistMedia)
      .where(
        and(
          eq(playlistMedia.playlistId, id),
          sql`NOT EXISTS (SELECT 1 FROM ${playlists} WHERE ${playlists.id} = ${id})`,
        ),
      ),
  ]);
  return deleted ?? null;
}

/** Those of these media that the workspace has. Ids travel as one JSON parameter, because D1 takes 100 parameters. */
export async function knownMedia(db: Database, workspaceId: string, assetIds: string[]): Promise<Set<string>> {
  const isMeant = sql`${assets.id} IN (SELECT value FROM json_each(${idList(assetIds)}))`;
  const rows = await db
    .select({ id: assets.id })
    .from(assets)
    .where(and(eq(assets.workspaceId, workspaceId), isAlive, isMeant));
  return new Set(rows.map(({ id }) => id));
}

/** Appends media in the given order; those that the playlist already has stay where they are. */
export const appendMedia = (db: Database, playlistId: string, assetIds: string[]) =>
  db.run(sql`INSERT OR IGNORE INTO playlist_media (playlist_id, asset_id, position)
    SELECT ${playlistId}, value, key + (SELECT coalesce(max(position) + 1, 0) FROM playlist_media WHERE playlist_id = ${playlistId})
    FROM json_each(${idList(assetIds)})`);

export const removeMedia = (db: Database, playlistId: string, assetIds: string[]) =>
  db.run(
    sql`DELETE FROM playlist_media WHERE playlist_id = ${playlistId} AND asset_id IN (SELECT value FROM json_each(${idList(assetIds)}))`,
  );

/** Gives the media the order of the list. Media that it does not have follow in their previous order. */
export const orderMedia = (db: Database, playlistId: string, assetIds: string[]) =>
  db.run(sql`UPDATE playlist_media SET position = coalesce(
      (SELECT key FROM json_each(${idList(assetIds)}) WHERE value = asset_id),
      position + ${assetIds.length})
    WHERE playlist_id = ${playlistId}`);

export const touchPlaylist = (db: Database, id: string, now: Date) =>
  db.update(playlists).set({ updatedAt: now }).where(eq(playlists.id, id));

const idList = (ids: string[]) => JSON.stringify(ids);
const isPlaylist = (workspaceId: string, id: string) =>
  and(eq(playlists.id, id), eq(playlists.workspaceId, workspaceId));

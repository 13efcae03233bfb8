import { and, asc, count, desc, eq, inArray, isNotNull, isNull, lt, ne, type SQL, sql } from "drizzle-orm";
import { type Database, openDatabase } from "../../platform/database.ts";
import { mediaTotalOf } from "../../tenancy/limits/index.ts";
import {
  deleteHoldsOf,
  deletePlaybackIdsOf,
  holdsOf,
  insertPlaybackId,
  type PlaybackId,
  playbackIdsOf,
} from "../../tenancy/access/index.ts";
import { deleteContentKeysOf } from "../../tenancy/drm/index.ts";
import { isUnshared } from "../clips/shared-media.ts";
import { deleteInsightsOf, type Insight, insightsOf } from "../insights/store/repository.ts";
import { type AddedTrack, addedTracksOf, deleteTracksOf } from "../tracks/store/repository.ts";
import { deleteVersionsOf } from "../tracks/store/versions.ts";
import { assets, isListed, isProcessing, renditions, tracks } from "./tables.ts";

export type Asset = typeof assets.$inferSelect;
export type { PlaybackId };
export type Track = typeof tracks.$inferSelect;

/** An asset with the related rows of its REST record. */
export interface AssetRecord {
  asset: Asset;
  playbackIds: PlaybackId[];
  /** Tracks of the source. */
  tracks: Track[];
  addedTracks: AddedTrack[];
  /** Results of AI. */
  insights: Insight[];
  /** Moderation holds it, or the media that it was cut from. */
  isHeld: boolean;
}

/** The columns that a machine needs to process its asset. */
export type AssetForMachine = Pick<
  Asset,
  | "id"
  | "workspaceId"
  | "sourceUrl"
  | "clipStartMs"
  | "clipEndMs"
  | "montage"
  | "optimizeAudio"
  | "watermark"
  | "maxResolution"
  | "mediaQuality"
  | "publicUrl"
>;

const MACHINE_COLUMNS = {
  id: assets.id,
  workspaceId: assets.workspaceId,
  sourceUrl: assets.sourceUrl,
  clipStartMs: assets.clipStartMs,
  clipEndMs: assets.clipEndMs,
  montage: assets.montage,
  optimizeAudio: assets.optimizeAudio,
  watermark: assets.watermark,
  maxResolution: assets.maxResolution,
  mediaQuality: assets.mediaQuality,
  publicUrl: assets.publicUrl,
};

/** Picks `MACHINE_COLUMNS` from a full row. */
export const toMachine = (asset: Asset): AssetForMachine =>
  Object.fromEntries(Object.keys(MACHINE_COLUMNS).map((name) => [name, asset[name as keyof Asset]])) as AssetForMachine;

/** Whether an asset is not the whole file of its source. */
export const isEdited = ({ clipStartMs, clipEndMs, montage }: Pick<Asset, "clipStartMs" | "clipEndMs" | "montage">) =>
  montage !== null || clipStartMs > 0 || clipEndMs !== null;

const isAlive = isNull(assets.deletedAt);

/** The asset and its playback ID, for one commit. */
export const assetInserts = (db: Database, asset: typeof assets.$inferInsert, playbackId: PlaybackId) => [
  db.insert(assets).values(asset),
  insertPlaybackId(db, playbackId),
];

/** Repeatable, for outboxes. */
export const insertAssetOnce = (db: Database, asset: typeof assets.$inferInsert) =>
  db.insert(assets).values(asset).onConflictDoNothing();

/** @param workspaceId null = any workspace, for internal callers */
export async function findAsset(db: Database, workspaceId: string | null, id: string): Promise<AssetRecord | null> {
  const isMine = workspaceId === null ? undefined : eq(assets.workspaceId, workspaceId);
  const [found, ids, trackRows, added, made, holds] = await db.batch([
    db
      .select()
      .from(assets)
      .where(and(eq(assets.id, id), isMine, isAlive)),
    playbackIdsOf(db, [id]),
    db.select().from(tracks).where(eq(tracks.assetId, id)).orderBy(asc(tracks.position)),
    addedTracksOf(db, [id]),
    insightsOf(db, [id]),
    holdsOf(db, [id]),
  ]);
  const asset = found[0];
  if (asset === undefined) return null;
  const isHeld = holds.length > 0;
  return { asset, playbackIds: ids, tracks: trackRows, addedTracks: added, insights: made, isHeld };
}

/**
 * @param page counts from 1
 * @param clipsOf list only the clips of this stream or media
 */
export async function listAssets(
  db: Database,
  workspaceId: string,
  { page, limit, order, clipsOf }: { page: number; limit: number; order: "asc" | "desc"; clipsOf?: ClipsOf },
): Promise<{ records: AssetRecord[]; total: number }> {
  const mine = and(eq(assets.workspaceId, workspaceId), isListed, clipsOf && isClipOf(clipsOf));
  const direction = order === "asc" ? asc : desc;
  const [rows, totals] = await db.batch([
    db
      .select()
      .from(assets)
      .where(mine)
      .orderBy(direction(assets.createdAt), direction(assets.id))
      .limit(limit)
      .offset((page - 1) * limit),
    // Counting a million rows would take longer than everything else.
    clipsOf === undefined ? mediaTotalOf(db, workspaceId) : db.select({ total: count() }).from(assets).where(mine),
  ]);
  const ids = rows.map(({ id }) => id);
  const [playback, trackRows, added, made, holds] = await db.batch([
    playbackIdsOf(db, ids),
    db.select().from(tracks).where(inArray(tracks.assetId, ids)).orderBy(asc(tracks.position)),
    addedTracksOf(db, ids),
    insightsOf(db, ids),
    holdsOf(db, ids),
  ]);
  const held = new Set(holds.map(({ targetId }) => targetId));
  const records = rows.map((asset) => ({
    asset,
    playbackIds: playback.filter(({ targetId }) => targetId === asset.id),
    tracks: trackRows.filter(({ assetId }) => assetId === asset.id),
    addedTracks: added.filter(({ assetId }) => assetId === asset.id),
    insights: made.filter(({ assetId }) => assetId === asset.id),
    isHeld: held.has(asset.id),
  }));
  return { records, total: totals[0]?.total ?? 0 };
}

type ClipsOf = { streamId: string } | { mediaId: string };
const isClipOf = (of: ClipsOf) =>
  "mediaId" in of
    ? eq(assets.sourceAssetId, of.mediaId)
    : and(eq(assets.streamId, of.streamId), isNotNull(assets.sourceAssetId));

/** Part of every change of an asset's row. */
export const nextRevision = { revision: sql`${assets.revision} + 1` };

/** A statement that changes nothing when the row has changed since it was read. */
export const changeAsset = (
  db: Database,
  seen: Asset,
  change: Partial<Pick<Asset, "title" | "creatorId" | "metadata" | "mp4Support" | "sourceAccess" | "updatedAt">>,
) =>
  db
    .update(assets)
    .set({ ...change, ...nextRevision })
    .where(and(eq(assets.id, seen.id), eq(assets.revision, seen.revision), isAlive));

/** The URL an asset's source was fetched from; null for an unknown or deleted asset. */
export async function findSourceUrl(binding: D1Database, assetId: string): Promise<string | null> {
  const [asset] = await openDatabase(binding)
    .select({ url: assets.sourceUrl })
    .from(assets)
    .where(and(eq(assets.id, assetId), isAlive));
  return asset?.url ?? null;
}

/** The renditions of a ready asset; none for one that has failed or is deleted. */
export async function findReadyRenditions(
  binding: D1Database,
  assetId: string,
): Promise<(typeof renditions.$inferSelect)[] | "processing"> {
  const db = openDatabase(binding);
  const [[asset], rows] = await db.batch([
    db
      .select({ status: assets.status })
      .from(assets)
      .where(and(eq(assets.id, assetId), isAlive)),
    db.select().from(renditions).where(eq(renditions.assetId, assetId)),
  ]);
  if (asset?.status === "ready") return rows;
  return asset === undefined || asset.status === "errored" ? [] : "processing";
}

/** Marks the asset as deleted. From then on it is 404; its bytes are purged afterwards. */
export const tombstoneAsset = (db: Database, id: string, now: Date) =>
  db
    .update(assets)
    .set({ deletedAt: now, ...nextRevision })
    .where(and(eq(assets.id, id), isAlive));

/** SQL condition: the row has not changed since it was read. */
export const isStill = (seen: Asset) =>
  sql`EXISTS (SELECT 1 FROM ${assets} WHERE id = ${seen.id} AND revision = ${seen.revision} AND deleted_at IS NULL)`;

/** Whether the workspace has, or had, this asset: the row of a deleted one stays. */
export async function isKnownAsset(db: Database, workspaceId: string, id: string): Promise<boolean> {
  return (await db.$count(assets, and(eq(assets.id, id), eq(assets.workspaceId, workspaceId)))) > 0;
}

export async function findAssetForMachine(db: Database, id: string): Promise<AssetForMachine | null> {
  const rows = await db
    .select(MACHINE_COLUMNS)
    .from(assets)
    .where(and(eq(assets.id, id), isAlive));
  return rows[0] ?? null;
}

/** Its bytes are no longer counted then. */
export async function forgetRendition(db: Database, assetId: string, name: string): Promise<void> {
  await db.delete(renditions).where(and(eq(renditions.assetId, assetId), eq(renditions.name, name)));
}

/** For a commit: what the file of an upload takes, which is the source of the asset from then on. */
export const setSourceBytes = (db: Database, id: string, sourceBytes: number) =>
  db
    .update(assets)
    .set({ sourceBytes })
    .where(and(eq(assets.id, id), isNull(assets.deletedAt)));

/** Notes what the stored pictures of an asset take. */
export async function setPictureBytes(db: Database, id: string, pictureBytes: number): Promise<void> {
  await db
    .update(assets)
    .set({ pictureBytes })
    .where(and(eq(assets.id, id), isNull(assets.purgedAt), ne(assets.status, "errored")));
}

/** Call when nothing of a media that failed for good is stored any more. Its record and its playback IDs stay. */
export async function forgetStored(db: Database, id: string): Promise<void> {
  await db.batch([
    db.delete(renditions).where(eq(renditions.assetId, id)),
    db.update(assets).set({ sourceBytes: 0, pictureBytes: 0 }).where(eq(assets.id, id)),
  ]);
}

/** Deletes the rows of a purged asset, except its tombstone. */
export async function forgetAsset(db: Database, id: string, now: Date): Promise<void> {
  await db.batch([
    db.delete(renditions).where(eq(renditions.assetId, id)),
    db.delete(tracks).where(eq(tracks.assetId, id)),
    deleteVersionsOf(db, id),
    deleteTracksOf(db, id),
    deleteInsightsOf(db, id),
    deletePlaybackIdsOf(db, id),
    deleteHoldsOf(db, id),
    deleteContentKeysOf(db, id),
    db.update(assets).set({ purgedAt: now, sourceBytes: 0, pictureBytes: 0 }).where(eq(assets.id, id)),
  ]);
}

export const isDeleted = async (db: Database, id: string): Promise<boolean> =>
  (await db.$count(assets, and(eq(assets.id, id), isNotNull(assets.deletedAt)))) > 0;

/** SQL condition on `assets`: no viewer plays the asset as a live broadcast at that time (epoch ms). */
export type OffAir = (nowMs: number) => SQL;

/** Assets that a crash left behind: processing without a change since `before`, or deleted but not purged. */
export async function findStrays(
  db: Database,
  before: Date,
  limit: number,
  isOffAir: OffAir,
): Promise<{ id: string; isDeleted: boolean }[]> {
  const [processing, deleted] = await db.batch([
    db
      .select({ id: assets.id })
      .from(assets)
      .where(and(isProcessing, isNull(assets.streamId), isAlive, lt(assets.updatedAt, before)))
      .limit(limit),
    db
      .select({ id: assets.id })
      .from(assets)
      .where(
        and(
          isNotNull(assets.deletedAt),
          isNull(assets.purgedAt),
          lt(assets.deletedAt, before),
          isUnshared(assets.id),
          isOffAir(before.getTime()),
        ),
      )
      .limit(limit),
  ]);
  return [
    ...processing.map(({ id }) => ({ id, isDeleted: false })),
    ...deleted.map(({ id }) => ({ id, isDeleted: true })),
  ];
}

import { and, asc, count, desc, eq, inArray, isNotNull, isNull, lt } from "drizzle-orm";
import type { Database } from "../database.ts";
import { insertEvent, type NewEvent } from "../events/index.ts";
import { idempotencyKeys } from "../http/tables.ts";
import { assets, playbackIds, renditions, tracks } from "./tables.ts";

export type Asset = typeof assets.$inferSelect;
export type PlaybackId = typeof playbackIds.$inferSelect;
export type Track = typeof tracks.$inferSelect;

/** An asset with what its REST record shows beside it. */
export interface AssetRecord {
  asset: Asset;
  playbackIds: PlaybackId[];
  tracks: Track[];
}

/** What the machine needs to know of the asset it processes. */
export type AssetForMachine = Pick<
  Asset,
  "id" | "workspaceId" | "sourceUrl" | "clipStartMs" | "clipEndMs" | "maxResolution" | "mediaQuality" | "publicUrl"
>;

const MACHINE_COLUMNS = {
  id: assets.id,
  workspaceId: assets.workspaceId,
  sourceUrl: assets.sourceUrl,
  clipStartMs: assets.clipStartMs,
  clipEndMs: assets.clipEndMs,
  maxResolution: assets.maxResolution,
  mediaQuality: assets.mediaQuality,
  publicUrl: assets.publicUrl,
};

/** The same of an asset that is at hand. */
export const toMachine = (asset: Asset): AssetForMachine =>
  Object.fromEntries(Object.keys(MACHINE_COLUMNS).map((name) => [name, asset[name as keyof Asset]])) as AssetForMachine;

const isAlive = isNull(assets.deletedAt);

/** The asset, its playback ID and `asset.created`, together or not at all; with them the answer under an idempotency key. */
export async function insertAsset(
  db: Database,
  rows: {
    asset: typeof assets.$inferInsert;
    playbackId: typeof playbackIds.$inferInsert;
    event: NewEvent;
    idempotency: typeof idempotencyKeys.$inferInsert | null;
  },
): Promise<void> {
  await db.batch([
    db.insert(assets).values(rows.asset),
    db.insert(playbackIds).values(rows.playbackId),
    insertEvent(db, rows.event),
    ...(rows.idempotency ? [db.insert(idempotencyKeys).values(rows.idempotency)] : []),
  ]);
}

export async function findAsset(db: Database, workspaceId: string, id: string): Promise<AssetRecord | null> {
  const [found, ids, trackRows] = await db.batch([
    db
      .select()
      .from(assets)
      .where(and(eq(assets.id, id), eq(assets.workspaceId, workspaceId), isAlive)),
    db.select().from(playbackIds).where(eq(playbackIds.assetId, id)).orderBy(asc(playbackIds.createdAt)),
    db.select().from(tracks).where(eq(tracks.assetId, id)).orderBy(asc(tracks.position)),
  ]);
  const asset = found[0];
  return asset === undefined ? null : { asset, playbackIds: ids, tracks: trackRows };
}

/** @param page counts from 1 */
export async function listAssets(
  db: Database,
  workspaceId: string,
  { page, limit, order }: { page: number; limit: number; order: "asc" | "desc" },
): Promise<{ records: AssetRecord[]; total: number }> {
  const mine = and(eq(assets.workspaceId, workspaceId), isAlive);
  const direction = order === "asc" ? asc : desc;
  const [rows, totals] = await db.batch([
    db
      .select()
      .from(assets)
      .where(mine)
      .orderBy(direction(assets.createdAt), direction(assets.id))
      .limit(limit)
      .offset((page - 1) * limit),
    db.select({ total: count() }).from(assets).where(mine),
  ]);
  const ids = rows.map(({ id }) => id);
  const [playback, trackRows] = await db.batch([
    db.select().from(playbackIds).where(inArray(playbackIds.assetId, ids)).orderBy(asc(playbackIds.createdAt)),
    db.select().from(tracks).where(inArray(tracks.assetId, ids)).orderBy(asc(tracks.position)),
  ]);
  const records = rows.map((asset) => ({
    asset,
    playbackIds: playback.filter(({ assetId }) => assetId === asset.id),
    tracks: trackRows.filter(({ assetId }) => assetId === asset.id),
  }));
  return { records, total: totals[0]?.total ?? 0 };
}

/** False when there is no such asset. */
export async function updateAsset(
  db: Database,
  workspaceId: string,
  id: string,
  change: Partial<Pick<Asset, "title" | "creatorId" | "metadata">>,
  event: NewEvent,
): Promise<void> {
  await db.batch([
    db
      .update(assets)
      .set({ ...change, updatedAt: new Date(event.occurredAtMs) })
      .where(and(eq(assets.id, id), eq(assets.workspaceId, workspaceId), isAlive)),
    insertEvent(db, event),
  ]);
}

/** From here on the asset answers like one that never existed; its bytes go afterwards. */
export async function tombstoneAsset(db: Database, workspaceId: string, id: string, event: NewEvent): Promise<void> {
  await db.batch([
    db
      .update(assets)
      .set({ deletedAt: new Date(event.occurredAtMs) })
      .where(and(eq(assets.id, id), eq(assets.workspaceId, workspaceId), isAlive)),
    insertEvent(db, event),
  ]);
}

export async function isAssetAlive(db: Database, id: string): Promise<boolean> {
  const rows = await db
    .select({ id: assets.id })
    .from(assets)
    .where(and(eq(assets.id, id), isAlive));
  return rows.length > 0;
}

export async function findAssetForMachine(db: Database, id: string): Promise<AssetForMachine | null> {
  const rows = await db
    .select(MACHINE_COLUMNS)
    .from(assets)
    .where(and(eq(assets.id, id), isAlive));
  return rows[0] ?? null;
}

/** What remains of a deleted asset once its bytes are gone. */
export async function forgetAsset(db: Database, id: string, now: Date): Promise<void> {
  await db.batch([
    db.delete(renditions).where(eq(renditions.assetId, id)),
    db.delete(tracks).where(eq(tracks.assetId, id)),
    db.delete(playbackIds).where(eq(playbackIds.assetId, id)),
    db.update(assets).set({ purgedAt: now }).where(eq(assets.id, id)),
  ]);
}

/** Assets that a crash left behind: never taken over by a machine, silent for long, or deleted but not purged. */
export async function findStrays(
  db: Database,
  before: Date,
  limit: number,
): Promise<{ id: string; isDeleted: boolean }[]> {
  const [processing, deleted] = await db.batch([
    db
      .select({ id: assets.id })
      .from(assets)
      .where(and(eq(assets.status, "processing"), isAlive, lt(assets.updatedAt, before)))
      .limit(limit),
    db
      .select({ id: assets.id })
      .from(assets)
      .where(and(isNotNull(assets.deletedAt), isNull(assets.purgedAt), lt(assets.deletedAt, before)))
      .limit(limit),
  ]);
  return [
    ...processing.map(({ id }) => ({ id, isDeleted: false })),
    ...deleted.map(({ id }) => ({ id, isDeleted: true })),
  ];
}

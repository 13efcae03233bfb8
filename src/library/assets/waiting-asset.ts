/** Assets of direct uploads, before their file has arrived. */
import { and, eq, sql } from "drizzle-orm";
import type { Database } from "../../platform/database.ts";
import { playbackIds } from "../../tenancy/access/index.ts";
import { nextRevision } from "./repository.ts";
import { insights } from "../insights/store/tables.ts";
import { addedTracks } from "../tracks/store/tables.ts";
import { assets } from "./tables.ts";

const isWaiting = eq(assets.status, "waiting");

/** From now on the asset is listed, and its machine may start. Repeatable. */
export const beginAsset = (db: Database, id: string, now: Date) =>
  db
    .update(assets)
    .set({ status: "processing", updatedAt: now, ...nextRevision })
    .where(and(eq(assets.id, id), isWaiting));

/**
 * Deletes the rows of an asset whose file will not come. Without effect on one that has begun, or that its owner has deleted. Its machine removes the
 * bytes of its tracks.
 */
export const discardWaiting = (db: Database, id: string) => [
  db.delete(assets).where(and(eq(assets.id, id), isWaiting, sql`deleted_at IS NULL`)),
  db.delete(playbackIds).where(and(eq(playbackIds.targetId, id), isGone(id))),
  db.delete(addedTracks).where(and(eq(addedTracks.assetId, id), isGone(id))),
  db.delete(insights).where(and(eq(insights.assetId, id), isGone(id))),
];

const isGone = (id: string) => sql`NOT EXISTS (SELECT 1 FROM ${assets} WHERE ${assets.id} = ${id})`;

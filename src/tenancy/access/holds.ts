/** Queries and changes of `playback_holds`. Each look-up of a playback ID reads whether there is one (`ACCESS_COLUMNS`). */
import { eq, inArray, or, type SQL, sql } from "drizzle-orm";
import type { Database, Statement } from "../../platform/database.ts";
import { playbackHolds } from "./tables.ts";

export const holdsOf = (db: Database, targetIds: string[]) =>
  db.select({ targetId: playbackHolds.targetId }).from(playbackHolds).where(inArray(playbackHolds.targetId, targetIds));

/**
 * Holds an asset, and all that was cut from it. A trigger does the same for what is cut from it later. Repeatable. Without effect where the condition is false.
 */
export const holdIf = (db: Database, assetId: string, now: Date, condition: SQL): Statement =>
  db.run(
    sql`INSERT OR IGNORE INTO ${playbackHolds} (target_id, cause_id, created_at)
      WITH RECURSIVE held(id) AS (
        SELECT ${assetId} UNION SELECT assets.id FROM assets JOIN held ON assets.source_asset_id = held.id
      )
      SELECT held.id, ${assetId}, ${now.getTime()} FROM held WHERE ${condition}`,
  );

/** Lifts the holds of an asset, whatever their cause, and those of clips that it has caused. */
export const liftHoldsIf = (db: Database, assetId: string, condition: SQL): Statement =>
  db.delete(playbackHolds).where(sql`${isOf(assetId)} AND ${condition}`);

/** Clips stay held when the media is deleted. */
export const deleteHoldsOf = (db: Database, assetId: string) =>
  db.delete(playbackHolds).where(eq(playbackHolds.targetId, assetId));

const isOf = (assetId: string) => or(eq(playbackHolds.targetId, assetId), eq(playbackHolds.causeId, assetId));

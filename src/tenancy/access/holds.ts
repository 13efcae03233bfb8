/** Queries and changes of `playback_holds`. Each look-up of a playback ID reads whether there is one (`ACCESS_COLUMNS`). */
import { eq, inArray, type SQL, sql } from "drizzle-orm";
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
      ${withClips(assetId)}
      SELECT family.id, ${assetId}, ${now.getTime()} FROM family WHERE ${condition}`,
  );

/** Lifts the holds of an asset, and of all that was cut from it, whatever their cause. */
export const liftHoldsIf = (db: Database, assetId: string, condition: SQL): Statement =>
  db
    .delete(playbackHolds)
    .where(sql`${playbackHolds.targetId} IN (${withClips(assetId)} SELECT family.id FROM family) AND ${condition}`);

/** Clips stay held when the media is deleted. */
export const deleteHoldsOf = (db: Database, assetId: string) =>
  db.delete(playbackHolds).where(eq(playbackHolds.targetId, assetId));

/**
 * `family`: the asset, what was cut from it, what was cut from that, and so on. A source exists before its clips and never changes, so the recursion ends;
 * each step is a look-up in an index. The ids stay in the database, whose statements take 100 parameters at most.
 */
const withClips = (assetId: string): SQL => sql`WITH RECURSIVE family(id) AS (
    SELECT ${assetId} UNION SELECT assets.id FROM assets JOIN family ON assets.source_asset_id = family.id
  )`;

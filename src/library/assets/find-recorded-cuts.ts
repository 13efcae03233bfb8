import { and, eq, ne, sql } from "drizzle-orm";
import { hasEverySpan, type RecordedCuts, recordedCuts } from "../../media/manifest/recorded-sound.ts";
import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { renditions } from "./tables.ts";

/**
 * Where sound that is added to a recording or clip is cut; null = it has been deleted. The renditions of a recording never change, so neither does
 * the answer. Rows are read one at a time, up to the first that says everything: all of a long recording have 24 MB.
 */
export async function findRecordedCuts(env: Env, assetId: string): Promise<RecordedCuts | null> {
  const db = openDatabase(env.DB);
  const isOfBroadcast = and(eq(renditions.assetId, assetId), ne(renditions.origin, "track"));
  const names = await db
    .select({ name: renditions.name })
    .from(renditions)
    .where(isOfBroadcast)
    .orderBy(sql`${renditions.kind} = 'video' DESC`, renditions.name);
  const rows: Pick<typeof renditions.$inferSelect, "segments" | "timescale">[] = [];
  for (const { name } of names) {
    const [row] = await db
      .select({ segments: renditions.segments, timescale: renditions.timescale })
      .from(renditions)
      .where(and(isOfBroadcast, eq(renditions.name, name)));
    if (row === undefined) return null; // purged meanwhile
    rows.push(row);
    if (hasEverySpan(rows)) break;
  }
  return rows.length === 0 ? null : recordedCuts(rows);
}

import { and, eq, isNull, sql } from "drizzle-orm";
import { assets, renditions } from "../../library/assets/index.ts";
import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { MAX_CLIP_SECONDS } from "../origin/recorded/clips-range.ts";
import type { ClipRequest } from "./clips-request.ts";

/** Times of clips are stored in whole milliseconds. */
const ROUNDING_MS = 0.5;

/**
 * Finds the saved clip for a time range of a session whose segments can no longer be looked up. A clip matches when the range starts in its
 * first segment and ends in its last one. A range that ends after every clip matches the clip that ends last.
 *
 * @returns its asset's id; null when there is none
 */
export async function findKeptClip(
  env: Env,
  sessionId: string,
  { startSeconds, endSeconds, access }: Omit<ClipRequest, "access"> & { access: "public" | "private" | "drm" },
): Promise<string | null> {
  const startMs = startSeconds * 1000;
  const endMs = Math.min(endSeconds, startSeconds + MAX_CLIP_SECONDS) * 1000;
  // A clip that is still being copied has no segments yet; its whole duration counts.
  const lengthMs = (position: "0" | "#-1") => sql`coalesce(
    (SELECT max((${renditions.segments} ->> ${`$.durationTicks[${position}]`}) * 1000.0 / ${renditions.timescale})
     FROM ${renditions} WHERE ${renditions.assetId} = ${assets.id} AND ${renditions.origin} <> 'track'),
    ${assets.clipEndMs} - ${assets.clipStartMs})`;
  const isLater = sql`${endMs} > ${assets.clipEndMs} + ${ROUNDING_MS}`;
  const [found] = await openDatabase(env.DB)
    .select({ id: assets.id })
    .from(assets)
    .where(
      and(
        eq(assets.sourceAssetId, sessionId),
        eq(assets.accessPolicy, access),
        isNull(assets.deletedAt),
        sql`${assets.clipStartMs} <= ${startMs + ROUNDING_MS}`,
        sql`${assets.clipStartMs} + ${lengthMs("0")} > ${startMs + ROUNDING_MS}`,
        sql`(${isLater} OR ${assets.clipEndMs} - ${lengthMs("#-1")} < ${endMs - ROUNDING_MS})`,
      ),
    )
    .orderBy(isLater, sql`${assets.clipEndMs} DESC`, sql`${assets.clipStartMs} DESC`)
    .limit(1);
  return found?.id ?? null;
}

import { eq, sql } from "drizzle-orm";
import { renditions } from "../assets/tables.ts";
import type { Span } from "../assets/types.ts";
import { openDatabase } from "../database.ts";
import type { Env } from "../env.ts";
import { MAX_CLIP_SEGMENTS } from "./clips-range.ts";
import type { DurationPage, ListWindow } from "./recorded-range.ts";
import type { SegmentRange } from "./recording-lists.ts";

/** Segments whose durations D1 adds up at a time; a page begins at a multiple of it. */
const BLOCK_SEGMENTS = 256;
/** A clip starts in a page's first block, or at the first segment after it, and is not longer than the rest. */
const PAGE_SEGMENTS = BLOCK_SEGMENTS + MAX_CLIP_SEGMENTS + 1;

/**
 * The durations around a moment of a recording; null when there is no recording. D1 scans the list and returns one page, so that the
 * Worker's memory does not depend on the recording's length.
 *
 * The lists of a recording have one length, and a segment that one rendition has lost has the duration that the others have
 * (`listsFrom`), so one list tells the durations of all: that of the largest picture, which the live index prefers too.
 */
export async function findDurationPage(
  env: Env,
  sessionId: string,
  startSeconds: number,
): Promise<DurationPage | null> {
  const [row] = await openDatabase(env.DB).all<Omit<DurationPage, "durationTicks"> & { durationTicks: string }>(sql`
    WITH reference AS MATERIALIZED (
      SELECT timescale, segments ->> '$.durationTicks' AS ticks FROM ${renditions} WHERE asset_id = ${sessionId}
      ORDER BY kind = 'video' DESC, width_px * height_px DESC, name LIMIT 1),
    blocks AS (
      SELECT key / ${BLOCK_SEGMENTS} AS block, sum(value) AS ticks
      FROM reference, json_each(reference.ticks) GROUP BY block),
    marks AS (SELECT block, sum(ticks) OVER (ORDER BY block) - ticks AS start_ticks FROM blocks),
    mark AS MATERIALIZED (
      SELECT block * ${BLOCK_SEGMENTS} AS first, start_ticks FROM marks
      WHERE start_ticks <= ${startSeconds} * (SELECT timescale FROM reference) ORDER BY block DESC LIMIT 1)
    SELECT timescale, json_array_length(ticks) AS segmentCount, first, start_ticks AS startTicks, (
      SELECT json_group_array(value) FROM (
        SELECT value FROM json_each(ticks) WHERE key >= first AND key < first + ${PAGE_SEGMENTS} ORDER BY key)
      ) AS durationTicks
    FROM reference, mark`);
  return row === undefined ? null : { ...row, durationTicks: JSON.parse(row.durationTicks) as number[] };
}

/** A recording's renditions with the stretch of their lists that is asked for, which is all that D1 returns of them. */
export async function readWindow(env: Env, sessionId: string, { first, last }: SegmentRange) {
  const stretchOf = (list: "durationTicks" | "bytes") => sql<string>`(
    SELECT json_group_array(value) FROM (
      SELECT value FROM json_each(${renditions.segments}, ${`$.${list}`})
      WHERE key BETWEEN ${first} AND ${last} ORDER BY key))`;
  // Joined, not compared with: SQLite evaluates a correlated subquery again for every segment.
  const entered = sql`(
    SELECT max(value ->> '$.first') AS at FROM json_each(${renditions.segments}, '$.spans')
    WHERE value ->> '$.first' <= ${first}) AS entered`;
  const rows = await openDatabase(env.DB)
    .select({
      name: renditions.name,
      kind: renditions.kind,
      codec: renditions.codec,
      widthPx: renditions.widthPx,
      heightPx: renditions.heightPx,
      frameRateNum: renditions.frameRateNum,
      frameRateDen: renditions.frameRateDen,
      channels: renditions.channels,
      timescale: renditions.timescale,
      durationTicks: stretchOf("durationTicks"),
      bytes: stretchOf("bytes"),
      spans: sql<string>`(
        SELECT json_group_array(json(value)) FROM (
          SELECT value FROM ${entered} CROSS JOIN json_each(${renditions.segments}, '$.spans')
          WHERE value ->> '$.first' BETWEEN entered.at AND ${last} ORDER BY key))`,
      passedTicks: sql<number>`(
        SELECT coalesce(sum(value), 0) FROM ${entered} CROSS JOIN json_each(${renditions.segments}, '$.durationTicks')
        WHERE key >= entered.at AND key < ${first})`,
    })
    .from(renditions)
    .where(eq(renditions.assetId, sessionId))
    .orderBy(renditions.name);
  return rows.map(({ durationTicks, bytes, spans, passedTicks, ...facts }) => {
    const [entered = null, ...later] = JSON.parse(spans) as Span[];
    const window: ListWindow = {
      durationTicks: JSON.parse(durationTicks) as number[],
      bytes: JSON.parse(bytes) as number[],
      entered,
      passedTicks,
      later,
    };
    return { ...facts, window };
  });
}

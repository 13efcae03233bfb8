import type { Env } from "../../platform/env.ts";
import { monthsIn } from "../metrics/ask-stores.ts";
import { conditionOf, type Scope } from "../metrics/scope.ts";
import { callStore } from "../store/store-calls.ts";
import { hotspotsOf } from "./hotspots.ts";
import { addWatched, type IntervalGrid } from "../store/interval-counts.ts";

/** A longer media, or broadcast, has longer intervals. */
const MAX_INTERVALS = 3600;
const SECOND_MS = 1000;

/** Whole seconds. */
export function gridOver(originMs: number, durationMs: number): IntervalGrid {
  const intervalMs = Math.max(1, Math.ceil(durationMs / SECOND_MS / MAX_INTERVALS)) * SECOND_MS;
  return { originMs, intervalMs, intervals: Math.ceil(durationMs / intervalMs) };
}

interface Question {
  scope: Scope;
  content: { column: "media_id" | "fp_live_stream_id"; id: string };
  /** By position in a media, or by time of day for a live stream. */
  grid: IntervalGrid;
}

/** Which intervals the views of a media or of a stream have watched. */
export async function engagementOf(
  env: Env,
  workspaceId: string,
  { scope, content: { column, id }, grid }: Question,
  nowMs: number,
) {
  const months = monthsIn(env, scope, nowMs);
  const { sql, values } = conditionOf(scope);
  const condition = { sql: `${sql} AND ${column} = ?`, values: [...values, id] };
  const question = { condition, axis: column === "media_id" ? ("media" as const) : ("clock" as const), grid };
  const answers = await Promise.all(
    months.map((month) => callStore(env, { workspaceId, month }, "engagement", question)),
  );
  const { totalViews, views, plays } = addWatched(answers, grid.intervals);
  const { originMs, intervalMs } = grid;
  return {
    intervalMs,
    totalViews,
    intervals: views.map((count, index) => ({
      startMs: originMs + index * intervalMs,
      views: count,
      share: totalViews === 0 ? 0 : count / totalViews,
      replays: plays[index]! - count,
    })),
    hotspots: hotspotsOf(plays, originMs, intervalMs),
  };
}

import type { ViewEngine, WatchedQuestion } from "../questions/view-engine.ts";
import type { IntervalGrid } from "../store/interval-counts.ts";
import { hotspotsOf } from "./hotspots.ts";

/** Most intervals; those of a longer media or broadcast are longer. */
const MAX_INTERVALS = 3600;
const SECOND_MS = 1000;

/** Whole seconds. */
export function gridOver(originMs: number, durationMs: number): IntervalGrid {
  const intervalMs = Math.max(1, Math.ceil(durationMs / SECOND_MS / MAX_INTERVALS)) * SECOND_MS;
  return { originMs, intervalMs, intervals: Math.ceil(durationMs / intervalMs) };
}

/** Which intervals the views of a media or of a stream have watched. */
export async function engagementOf(engine: ViewEngine, question: WatchedQuestion) {
  const { grid } = question;
  const { totalViews, views, plays } = await engine.watched(question);
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

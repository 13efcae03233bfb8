import { cutChapters } from "../../../ai/text/index.ts";
import type { Env } from "../../../platform/env.ts";
import { openDatabase } from "../../../platform/database.ts";
import { changeRecord } from "../../assets/change-record.ts";
import { CHAPTERS } from "../../insights/store/orders.ts";
import {
  endedInsight,
  type InsightEnd,
  insightsOf,
  newInsight,
  putInsightIf,
} from "../../insights/store/repository.ts";
import { insightEvent } from "../../insights/store/to-insight.ts";
import type { AssetComponents } from "../core/components.ts";

/** The chapters of a media between the times of a clip, moved to its start. "expected" = they are being made; null = it has none. */
export async function cutChaptersOf(
  env: Env,
  sourceId: string,
  { startMs, durationMs }: { startMs: number; durationMs: number },
): Promise<Extract<InsightEnd, { status: "available" }> | "expected" | null> {
  const found = await insightsOf(openDatabase(env.DB), [sourceId]);
  const { result, madeBy, status } = found.find(({ kind }) => kind === "chapters") ?? {};
  if (status === "preparing") return "expected";
  if (status !== "available" || !result || !("chapters" in result)) return null;
  const { model = "", trackId = "" } = madeBy ?? {};
  return {
    status,
    result: { chapters: cutChapters(result.chapters, startMs, durationMs) },
    madeBy: { engine: "source", model, trackId, costUsd: 0, tookMs: 0 },
  };
}

/**
 * Gives a clip the chapters of its media: those between its times, moved to its start. A clip for which chapters were asked has its own made. Repeatable.
 *
 * @param startMs of the clip, in its media
 */
export async function addCutChapters(
  { asset, clock, env }: AssetComponents,
  sourceId: string,
  { startMs, durationMs }: { startMs: number; durationMs: number },
): Promise<void> {
  const end = await cutChaptersOf(env, sourceId, { startMs, durationMs });
  if (end === null || end === "expected") return;
  const key = { workspaceId: asset.workspaceId, assetId: asset.id };
  const now = new Date(clock());
  const changed = await changeRecord(env, key, now, ({ insights }, db, still) => {
    const known = insights.find(({ kind }) => kind === "chapters");
    if (known !== undefined && (known.order.takesOver !== true || known.status !== "preparing")) return null;
    const taken = { ...(known ?? newInsight(CHAPTERS, key, now)), ...endedInsight(end) };
    return {
      statements: [putInsightIf(db, taken, still)],
      insights: [...insights.filter((one) => one !== known), taken],
      eventsBefore: (_, when) => [insightEvent(taken, when())],
    };
  });
  await changed?.committed.wake();
}

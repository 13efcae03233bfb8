import { cutChapters } from "../../../ai/text/index.ts";
import { openDatabase } from "../../../platform/database.ts";
import { changeRecord } from "../../assets/change-record.ts";
import { insightsOf, newInsight, putInsightIf } from "../../insights/store/repository.ts";
import { insightEvent } from "../../insights/store/to-insight.ts";
import type { AssetComponents } from "../core/components.ts";

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
  const found = await insightsOf(openDatabase(env.DB), [sourceId]);
  const source = found.find(({ kind, status }) => kind === "chapters" && status === "available");
  if (source?.result === undefined || source.result === null || !("chapters" in source.result)) return;
  const chapters = cutChapters(source.result.chapters, startMs, durationMs);
  const key = { workspaceId: asset.workspaceId, assetId: asset.id };
  const now = new Date(clock());
  const changed = await changeRecord(env, key, now, ({ insights }, db, still) => {
    if (insights.some(({ kind }) => kind === "chapters")) return null;
    const { model = "", trackId = "" } = source.madeBy ?? {};
    const taken = {
      ...newInsight({ kind: "chapters", order: {} }, key, now),
      status: "available" as const,
      percent: 100,
      result: { chapters },
      madeBy: { engine: "source", model, trackId, costUsd: 0, tookMs: 0 },
    };
    return {
      statements: [putInsightIf(db, taken, still)],
      insights: [...insights, taken],
      eventsBefore: (_, when) => [insightEvent(taken, when())],
    };
  });
  await changed?.committed.wake();
}

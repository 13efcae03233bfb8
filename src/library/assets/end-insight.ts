import type { Env } from "../../platform/env.ts";
import { changeRecord } from "./change-record.ts";
import { endedInsight, endInsightIf, type InsightEnd, type InsightKey } from "../insights/store/repository.ts";
import { insightEvent } from "../insights/store/to-insight.ts";

/**
 * Ends the making of a result, with its event and then `video.media.updated`, in one commit. Repeatable. Without effect on one that was asked for again
 * meanwhile.
 */
export async function endInsight(env: Env, key: InsightKey, end: InsightEnd, now: Date): Promise<void> {
  const changed = await changeRecord(env, { workspaceId: null, assetId: key.assetId }, now, (seen, db, still) => {
    const insight = seen.insights.find(
      ({ kind, requestId, status }) => kind === key.kind && requestId === key.requestId && status === "preparing",
    );
    if (insight === undefined) return null;
    const ended = { ...insight, ...endedInsight(end) };
    return {
      statements: [endInsightIf(db, key, end, still)],
      insights: seen.insights.map((one) => (one === insight ? ended : one)),
      eventsBefore: (_, when) => (end.status === "available" ? [insightEvent(ended, when())] : []),
    };
  });
  await changed?.committed.wake();
}

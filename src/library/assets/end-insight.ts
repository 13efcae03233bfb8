import { isFlagged } from "../../ai/moderation/index.ts";
import type { Env } from "../../platform/env.ts";
import { changeRecord } from "./change-record.ts";
import { endedInsight, endInsightIf, type InsightEnd, type InsightKey } from "../insights/store/repository.ts";
import { moderationOrderOf } from "../insights/store/moderation-order.ts";
import { flaggedEvent, insightEvent } from "../insights/store/to-insight.ts";
import { log } from "../../platform/log.ts";
import { holdIf } from "../../tenancy/access/index.ts";

/**
 * Ends the making of a result, with its events and then `video.media.updated`, in one commit. A media that moderation flags is held, if that was asked for. Repeatable. Without effect on one that was asked for again
 * meanwhile.
 */
export async function endInsight(env: Env, key: InsightKey, end: InsightEnd, now: Date): Promise<void> {
  const changed = await changeRecord(env, { workspaceId: null, assetId: key.assetId }, now, (seen, db, still) => {
    const insight = seen.insights.find(
      ({ kind, requestId, status }) => kind === key.kind && requestId === key.requestId && status === "preparing",
    );
    if (insight === undefined) return null;
    const ended = { ...insight, ...endedInsight(end) };
    const isAvailable = end.status === "available";
    const flagged = isFlagged(ended);
    const isBlocked = flagged && moderationOrderOf(insight).action === "block";
    return {
      isFlagged: flagged,
      isBlocked,
      statements: [endInsightIf(db, key, end, still), ...(isBlocked ? [holdIf(db, key.assetId, now, still)] : [])],
      ...(isBlocked ? { isHeld: true } : {}),
      insights: seen.insights.map((one) => (one === insight ? ended : one)),
      eventsBefore: (_, when) => [
        ...(isAvailable ? [insightEvent(ended, when())] : []),
        ...(flagged ? [flaggedEvent(ended, when())!] : []),
      ],
    };
  });
  if (changed === null || changed.change === null) return;
  const { change, record, committed } = changed;
  const facts = { assetId: key.assetId, workspaceId: record.asset.workspaceId, requestId: key.requestId };
  if (change.isFlagged) log("moderation.flagged", facts);
  if (change.isBlocked) log("media.held", facts);
  await committed.wake();
}

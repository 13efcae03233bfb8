import { type Chapter, mendChapters } from "../../ai/text/index.ts";
import type { Committed } from "../../events/webhooks/index.ts";
import type { Env } from "../../platform/env.ts";
import { changeRecord } from "../assets/change-record.ts";
import { CHAPTERS } from "./store/orders.ts";
import { endedInsight, newInsight, putInsightIf } from "./store/repository.ts";
import { insightEvent } from "./store/to-insight.ts";

/**
 * Gives a media chapters that were not made by AI, such as those that it had on another platform. They are brought into order. Repeatable: a
 * media that has chapters, or has them made, keeps those.
 *
 * @param durationMs of the media
 * @returns null when there is no such media, or nothing was changed
 */
export async function giveChapters(
  env: Env,
  key: { workspaceId: string; assetId: string },
  chapters: readonly Pick<Chapter, "startMs" | "title">[],
  durationMs: number,
  now: Date,
): Promise<Committed | null> {
  const mended = mendChapters(
    chapters.map(({ startMs, title }) => ({ startMs, endMs: startMs, title, summary: "" })),
    durationMs,
  );
  if (mended.length === 0) return null;
  const changed = await changeRecord(env, key, now, ({ insights }, db, still) => {
    if (insights.some(({ kind, status }) => kind === "chapters" && status !== "failed")) return null;
    const madeBy = { engine: "source", model: "", trackId: "", costUsd: 0, tookMs: 0 };
    const end = { status: "available", result: { chapters: mended }, madeBy } as const;
    const given = { ...newInsight(CHAPTERS, key, now), ...endedInsight(end) };
    return {
      statements: [putInsightIf(db, given, still)],
      insights: [...insights.filter(({ kind }) => kind !== "chapters"), given],
      eventsBefore: (_, when) => [insightEvent(given, when())],
    };
  });
  return changed === null || changed.change === null ? null : changed.committed;
}

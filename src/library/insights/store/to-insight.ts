import type { NewEvent } from "../../../events/index.ts";
import { flagged, type ModerationResult } from "../../../ai/moderation/index.ts";
import { type Chapter, type NamedEntity, toClock } from "../../../ai/text/index.ts";
import { recordOf } from "../../../platform/http/record.ts";
import type { Insight, InsightKind } from "./repository.ts";
import type { InsightResults } from "./tables.ts";

/** A chapter as the contract has it. */
const toChapter = ({ startMs, endMs, title, summary }: Chapter, position: number) => ({
  chapter: String(position + 1),
  startTime: toClock(startMs),
  endTime: toClock(endMs),
  title,
  summary,
});

/** Strong enough that nobody sees what they did not want to see; percent, see `readStill`. */
const MOMENT_BLUR = 50;
const MOMENT_WIDTH_PX = 640;

/** @param images where the pictures of the media are; null = there are none */
const toModeration = ({ moments, ...result }: ModerationResult, images: string | null) => ({
  ...result,
  moments: moments.map((moment) => ({
    ...moment,
    ...(images === null
      ? {}
      : {
          thumbnail: `${images}/thumbnail.jpg?time=${moment.startMs / 1000}&width=${MOMENT_WIDTH_PX}&blur=${MOMENT_BLUR}`,
        }),
  })),
});

/** What the record of the media has as `data`: the summary as text, the others as an object (media contract, differences). */
const DATA: { [Kind in InsightKind]: (result: InsightResults[Kind], images: string | null) => unknown } = {
  summary: ({ summary }) => summary,
  chapters: ({ chapters }) => ({ chapters: chapters.map(toChapter) }),
  namedEntities: (result) => result,
  moderation: toModeration,
};

/** What the four members of the record have in common. */
interface Shown<Data> {
  status: Insight["status"];
  data?: Data;
  percent?: number;
  result?: { engine: string; model?: string; trackId?: string; costUsd: number; tookMs: number };
  error?: { code: string; message: string; fault: "source" | "service" };
}

/** One result in the record of its media; null = it was not asked for. @param images where its pictures are; null = it has none */
export function toInsight<Data>(
  all: readonly Insight[],
  kind: InsightKind,
  images: string | null = null,
): Shown<Data> | null {
  const insight = all.find((one) => one.kind === kind);
  if (insight === undefined) return null;
  const { status, percent, result, madeBy, errorCode, errorMessage, errorFault } = insight;
  const data = DATA[kind] as (value: unknown, at: string | null) => Data;
  return recordOf<Shown<Data>>({
    status,
    data: result === null ? null : data(result, images),
    percent: status === "preparing" ? percent : null,
    result: madeBy && {
      engine: madeBy.engine,
      ...(madeBy.model === "" ? {} : { model: madeBy.model }),
      ...(madeBy.trackId === "" ? {} : { trackId: madeBy.trackId }),
      costUsd: madeBy.costUsd,
      tookMs: madeBy.tookMs,
    },
    error: errorCode === null ? null : { code: errorCode, message: errorMessage ?? "", fault: errorFault ?? "service" },
  });
}

/** The output alone, to the letter of the contract: times of mention are in the record only. */
const OUTPUTS: { [Kind in InsightKind]: (result: InsightResults[Kind]) => Record<string, unknown> } = {
  summary: ({ summary }) => ({ isSummaryGenerated: true, summary }),
  chapters: ({ chapters }) => ({ isChaptersGenerated: true, chapters: chapters.map(toChapter) }),
  namedEntities: ({ namedEntities }) => ({
    isNamedEntitiesGenerated: true,
    namedEntities: namedEntities.map(({ name, category, count }: NamedEntity) => ({ name, category, count })),
  }),
  moderation: ({ scores }) => ({ isModerationGenerated: true, moderationResult: scores }),
};

/** A result is available. */
export const insightEvent = (
  { assetId, kind, workspaceId, result }: Insight,
  { id, atMs }: { id: string; atMs: number },
): NewEvent => ({
  id,
  workspaceId,
  type: `video.mediaAI.${kind}.ready`,
  objectId: assetId,
  occurredAtMs: atMs,
  data: (OUTPUTS[kind] as (value: unknown) => Record<string, unknown>)(result),
});

/** Scores are above the workspace's threshold; null = none is. */
export function flaggedEvent(
  { assetId, workspaceId, result }: Insight,
  { id, atMs }: { id: string; atMs: number },
): NewEvent | null {
  if (result === null || !("isFlagged" in result) || !result.isFlagged) return null;
  const { scores, threshold } = result;
  const data = { threshold, moderationResult: flagged(scores, threshold) };
  return { id, workspaceId, type: "ai.moderation.flagged", objectId: assetId, occurredAtMs: atMs, data };
}

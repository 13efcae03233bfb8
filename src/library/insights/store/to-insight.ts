import type { NewEvent } from "../../../events/index.ts";
import { type Chapter, type NamedEntity, type TextResults, toClock } from "../../../ai/text/index.ts";
import { recordOf } from "../../../platform/http/record.ts";
import type { Insight, InsightKind } from "./repository.ts";

/** A chapter as the contract has it. */
const toChapter = ({ startMs, endMs, title, summary }: Chapter, position: number) => ({
  chapter: String(position + 1),
  startTime: toClock(startMs),
  endTime: toClock(endMs),
  title,
  summary,
});

/** What the record of the media has as `data`: the summary as text, the others as an object (media contract, differences). */
const DATA: { [Kind in InsightKind]: (result: TextResults[Kind]) => unknown } = {
  summary: ({ summary }) => summary,
  chapters: ({ chapters }) => ({ chapters: chapters.map(toChapter) }),
  namedEntities: (result) => result,
};

/** What the four members of the record have in common. */
interface Shown<Data> {
  status: Insight["status"];
  data?: Data;
  percent?: number;
  result?: { engine: string; model?: string; trackId: string; costUsd: number; tookMs: number };
  error?: { code: string; message: string; fault: "source" | "service" };
}

/** One result in the record of its media; null = it was not asked for. */
export function toInsight<Data>(all: readonly Insight[], kind: InsightKind): Shown<Data> | null {
  const insight = all.find((one) => one.kind === kind);
  if (insight === undefined) return null;
  const { status, percent, result, madeBy, errorCode, errorMessage, errorFault } = insight;
  const data = DATA[kind] as (value: unknown) => Data;
  return recordOf<Shown<Data>>({
    status,
    data: result === null ? null : data(result),
    percent: status === "preparing" ? percent : null,
    result: madeBy && {
      engine: madeBy.engine,
      ...(madeBy.model === "" ? {} : { model: madeBy.model }),
      trackId: madeBy.trackId,
      costUsd: madeBy.costUsd,
      tookMs: madeBy.tookMs,
    },
    error: errorCode === null ? null : { code: errorCode, message: errorMessage ?? "", fault: errorFault ?? "service" },
  });
}

/** The output alone, to the letter of the contract: times of mention are in the record only. */
const OUTPUTS: { [Kind in InsightKind]: (result: TextResults[Kind]) => Record<string, unknown> } = {
  summary: ({ summary }) => ({ isSummaryGenerated: true, summary }),
  chapters: ({ chapters }) => ({ isChaptersGenerated: true, chapters: chapters.map(toChapter) }),
  namedEntities: ({ namedEntities }) => ({
    isNamedEntitiesGenerated: true,
    namedEntities: namedEntities.map(({ name, category, count }: NamedEntity) => ({ name, category, count })),
  }),
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

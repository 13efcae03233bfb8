import { z } from "@hono/zod-openapi";
import { MOST_SUMMARY_WORDS, SHORTEST_SUMMARY_WORDS, USUAL_SUMMARY_WORDS } from "../../../ai/text/index.ts";
import { orNull } from "../../../platform/http/hints/later.ts";
import { ModerationRequest } from "../../../ai/moderation/index.ts";
import type { AiSettings } from "../../../ai/settings/index.ts";
import { transcriptTrack } from "../../tracks/store/made-subtitles.ts";
import type { TrackRequest } from "../../tracks/store/new-track.ts";
import { moderationRequest } from "./moderation-order.ts";
import type { InsightRequest } from "./repository.ts";

export const summaryLength = z
  .int()
  .min(SHORTEST_SUMMARY_WORDS)
  .max(MOST_SUMMARY_WORDS)
  .optional()
  .openapi({ description: "About how many words it has", default: USUAL_SUMMARY_WORDS, example: 100 });

const SummaryOrder = z.object({ generate: z.boolean().default(true), summaryLength });

/** Fields of a creation and of `pushMediaSettings`. */
export const insightFields = {
  summary: orNull(SummaryOrder).openapi({
    description: "What is said in the media, in 30 to 250 words. Without subtitles, these are made first",
  }),
  chapters: orNull(z.literal(true)).openapi({
    description: "Divides the media where its subject changes. Without subtitles, these are made first",
  }),
  generateChapters: orNull(z.literal(true)).openapi({ description: "The same as `chapters`" }),
  namedEntities: orNull(z.literal(true)).openapi({
    description:
      "The people, organizations, locations, products and events that are named. Without subtitles, these are made first",
  }),
  moderation: orNull(ModerationRequest).openapi({
    description: "Scores of unwanted content in the pictures, in what is said, or in both",
  }),
};

/** What a creation says; null = it wants none. */
interface InsightSettings {
  subtitles?: object | null | undefined;
  summary?: z.output<typeof SummaryOrder> | null | undefined;
  chapters?: true | null | undefined;
  generateChapters?: true | null | undefined;
  namedEntities?: true | null | undefined;
  moderation?: z.output<typeof ModerationRequest> | null | undefined;
}

/**
 * The results that are made of a new media, and its tracks: subtitles are among them if a result needs them, or the workspace has them made of every media.
 *
 * @param tracks those that the creation asks for
 * @param usual what the workspace has made of every media, and its threshold of moderation
 */
export function planInsights(
  settings: InsightSettings,
  tracks: readonly TrackRequest[],
  { newMedia: usual, moderationThreshold: threshold }: AiSettings,
): { requests: InsightRequest[]; tracks: TrackRequest[] } {
  const { subtitles, summary, namedEntities = usual.namedEntities, generateChapters = usual.chapters } = settings;
  const { chapters = generateChapters, moderation = usual.moderation } = settings;
  const isSummarised = summary === undefined ? usual.summary : summary?.generate;
  const requests: InsightRequest[] = [
    ...(isSummarised === true ? [summaryRequest(summary ?? {})] : []),
    ...(chapters === true ? [{ kind: "chapters" as const, order: {} }] : []),
    ...(namedEntities === true ? [{ kind: "namedEntities" as const, order: {} }] : []),
    ...(moderation ? [moderationRequest({ ...moderation, threshold })] : []),
  ];
  const hasText = tracks.some(({ kind, forced }) => kind === "subtitle" && forced !== true);
  const isWanted = requests.some(readsTranscript) || (subtitles === undefined && usual.subtitles === true);
  return { requests, tracks: hasText || !isWanted ? [...tracks] : [...tracks, transcriptTrack()] };
}

/** Moderation of the pictures alone does not. */
export const readsTranscript = ({ kind, order }: InsightRequest): boolean =>
  kind !== "moderation" || order.type !== "video";

export const summaryRequest = ({ summaryLength: length }: { summaryLength?: number | undefined }): InsightRequest => ({
  kind: "summary",
  order: { summaryWords: length ?? USUAL_SUMMARY_WORDS },
});

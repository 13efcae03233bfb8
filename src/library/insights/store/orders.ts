import { z } from "@hono/zod-openapi";
import { MOST_SUMMARY_WORDS, SHORTEST_SUMMARY_WORDS, USUAL_SUMMARY_WORDS } from "../../../ai/text/index.ts";
import { isOff, orNull } from "../../../platform/http/hints/later.ts";
import { ModerationRequest } from "../../../ai/moderation/index.ts";
import type { AiSettings } from "../../../ai/settings/index.ts";
import { transcriptTrack } from "../../tracks/store/made-subtitles.ts";
import type { TrackRequest } from "../../tracks/store/new-track.ts";
import type { AddedTrack } from "../../tracks/store/repository.ts";
import { moderationOrderOf, moderationRequest } from "./moderation-order.ts";
import type { Insight, InsightRequest } from "./repository.ts";

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
  // The contract names no client that sends `{}` by default, so it is what it is in PATCH …/moderation.
  moderation: orNull(ModerationRequest, isOff).openapi({
    description:
      "Scores of unwanted content in the pictures, in what is said, or in both. `true` and `{}` are `audio`, `false` asks for none",
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

/** What a new media has already, or takes over from the one that it is cut from. */
export interface Given {
  addedTracks: readonly AddedTrack[];
  /** The results of the media that it is cut from. */
  insights: readonly Insight[];
}
const NOTHING_GIVEN: Given = { addedTracks: [], insights: [] };

/**
 * The results that are made of a new media, and its tracks: subtitles are among them if a result needs them, or the workspace has them made of every media.
 *
 * @param tracks those that the creation asks for
 * @param usual what the workspace has made of every media, and its threshold of moderation
 * @param given what the workspace has made of every media is not made again where it is given
 */
export function planInsights(
  settings: InsightSettings,
  tracks: readonly TrackRequest[],
  { newMedia: usual, moderationThreshold: threshold }: AiSettings,
  given = NOTHING_GIVEN,
): { requests: InsightRequest[]; tracks: TrackRequest[] } {
  const { subtitles, summary, namedEntities = usual.namedEntities, generateChapters } = settings;
  const { chapters = generateChapters, moderation = isJudged(usual.moderation, given) ? false : usual.moderation } =
    settings;
  const isSummarised = summary === undefined ? usual.summary : summary?.generate;
  const requests: InsightRequest[] = [
    ...(isSummarised === true ? [summaryRequest(summary ?? {})] : []),
    ...(chapters === true ? [CHAPTERS] : []),
    ...(chapters === undefined && usual.chapters === true ? usualChapters(given) : []),
    ...(namedEntities === true ? [NAMED_ENTITIES] : []),
    ...(moderation ? [moderationRequest({ ...moderation, threshold })] : []),
  ];
  const isWanted = requests.some(readsTranscript) || (subtitles === undefined && usual.subtitles === true);
  const asked = tracks.map(({ kind, forced = false }) => ({ kind, isForced: forced, status: "preparing" }));
  return {
    requests,
    tracks: hasText([...asked, ...given.addedTracks]) || !isWanted ? [...tracks] : [...tracks, transcriptTrack()],
  };
}

export const CHAPTERS: InsightRequest = { kind: "chapters", order: {} };
export const NAMED_ENTITIES: InsightRequest = { kind: "namedEntities", order: {} };

/** Those of a clip are taken over from its media. */
function usualChapters({ insights }: Given): InsightRequest[] {
  const isMade = insights.some(({ kind, status }) => kind === "chapters" && status !== "failed");
  return [isMade ? { ...CHAPTERS, order: { takesOver: true } } : CHAPTERS];
}

/** Whether all that is in a clip is scored with its media, with which it is held: its owner may have cleared that. */
function isJudged(usual: AiSettings["newMedia"]["moderation"], { insights }: Given): boolean {
  const known = insights.find(({ kind }) => kind === "moderation");
  if (!usual || known === undefined || known.status === "failed") return false;
  const { type, action } = moderationOrderOf(known);
  return (type === usual.type || type === "av") && (action === "block" || usual.action === "none");
}

/** Whether a media has subtitles, or gets them, that results can be made of. */
export const hasText = (tracks: readonly { kind: string; isForced: boolean; status: string }[]): boolean =>
  tracks.some(({ kind, isForced, status }) => kind === "subtitle" && !isForced && status !== "failed");

/** Moderation of the pictures alone does not, and chapters that are taken over. */
export const readsTranscript = ({ kind, order }: InsightRequest): boolean =>
  kind === "moderation" ? order.type !== "video" : order.takesOver !== true;

export const summaryRequest = ({ summaryLength: length }: { summaryLength?: number | undefined }): InsightRequest => ({
  kind: "summary",
  order: { summaryWords: length ?? USUAL_SUMMARY_WORDS },
});

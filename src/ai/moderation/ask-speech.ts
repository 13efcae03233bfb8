import { z } from "zod";
import type { TextRequest } from "../providers/index.ts";
import { fromClock, type Sentence, type TranscriptPart } from "../text/index.ts";
import { idOf, meaningOf, MODERATION_CATEGORIES, type ModerationCategory } from "./categories.ts";
import { Score } from "../../records/fields.ts";
import type { Finding } from "./moderation-result.ts";

const MAX_OUTPUT_TOKENS = 1500;

const judged = {
  type: "object",
  properties: { score: { type: "number" }, time: { type: "string" } },
  required: ["score", "time"],
  additionalProperties: false,
};
const format = {
  name: "speech_scores",
  schema: {
    type: "object",
    properties: Object.fromEntries(MODERATION_CATEGORIES.map((category) => [category, judged])),
    required: MODERATION_CATEGORIES,
    additionalProperties: false,
  },
};

/** What is said in one part of a transcript. */
export const askSpeech = ({ text }: TranscriptPart): TextRequest => ({
  instructions: [
    "You moderate a video by its transcript. Say for each category how probable it is, from 0 to 1, that something of it is said,",
    "and the time of the worst line as it stands there (HH:MM:SS). The categories:",
    `${MODERATION_CATEGORIES.map((category) => `${category} (${meaningOf(category)})`).join("; ")}.`,
  ].join(" "),
  text,
  format,
  likelihoods: Object.fromEntries(
    MODERATION_CATEGORIES.map((category) => [
      idOf(category),
      `Somebody says, or the text is about: ${meaningOf(category)}`,
    ]),
  ),
  maxOutputTokens: MAX_OUTPUT_TOKENS,
});

const Judged = z.object({ score: Score, time: z.unknown().optional() });
const Chat = z.object(
  Object.fromEntries(MODERATION_CATEGORIES.map((category) => [category, Judged])) as Record<
    ModerationCategory,
    typeof Judged
  >,
);
const Likelihoods = z.object({ likelihoods: z.record(z.string(), Score) });

/**
 * Every category has to have a score between 0 and 1. A decision model names no line: its scores are those of the whole part.
 *
 * @returns null = these are no scores
 */
export function readSpeech(value: unknown, { sentences }: TranscriptPart): Finding[] | null {
  const likely = Likelihoods.safeParse(value);
  const chat = Chat.safeParse(value);
  if (!likely.success && !chat.success) return null;
  const part = { startMs: sentences[0]?.startMs ?? 0, endMs: sentences.at(-1)?.endMs ?? 0 };
  const findings: Finding[] = [];
  for (const category of MODERATION_CATEGORIES) {
    const one = chat.data?.[category];
    const score = one?.score ?? likely.data?.likelihoods[idOf(category)];
    if (score === undefined) return null;
    const { startMs, endMs } = (one && nearest(sentences, fromClock(one.time))) ?? part;
    findings.push({ category, score, startMs, endMs, source: "speech" });
  }
  return findings;
}

/** Null = the time is none. */
function nearest(sentences: readonly Sentence[], atMs: number | null): Sentence | null {
  if (atMs === null) return null;
  let found: Sentence | null = null;
  const distance = ({ startMs }: Sentence) => Math.abs(startMs - atMs);
  for (const sentence of sentences) if (found === null || distance(sentence) < distance(found)) found = sentence;
  return found;
}

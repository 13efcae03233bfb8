import { z } from "zod";
import type { TextRequest } from "../providers/index.ts";
import { countWords, cutToWords, plainLine } from "./plain-text.ts";

const Answer = z.union([z.object({ summary: z.string() }).transform(({ summary }) => summary), z.string()]);
const format = {
  name: "summary",
  schema: {
    type: "object",
    properties: { summary: { type: "string" } },
    required: ["summary"],
    additionalProperties: false,
  },
};
const TOKENS_PER_WORD = 4;
/** Models count words badly. A summary that is longer by this factor is cut. */
const TOLERANCE = 1.2;
export const MOST_SUMMARY_WORDS = 250;
/** A model that writes this for a text with words has not summarised it. */
const FEWEST_WORDS = 3;

/** @param isOfParts the text consists of summaries of the parts of a longer one */
export const askSummary = (text: string, words: number, isOfParts: boolean): TextRequest => ({
  instructions: [
    `Summarise what is said in the video in about ${words} words, in the language of the transcript.`,
    "Write one paragraph of plain text, without a heading and without markup. Say what is said; add nothing.",
    ...(isOfParts ? ["The transcript is given as summaries of its parts, in their order."] : []),
  ].join(" "),
  text,
  format,
  maxOutputTokens: Math.max(200, words * TOKENS_PER_WORD + 50),
});

/** @returns null = it is no summary */
export function readSummary(value: unknown, words: number): string | null {
  const answer = Answer.safeParse(value);
  if (!answer.success) return null;
  const text = plainLine(answer.data);
  if (countWords(text) < FEWEST_WORDS) return null;
  return cutToWords(text, Math.min(MOST_SUMMARY_WORDS, Math.round(words * TOLERANCE)));
}

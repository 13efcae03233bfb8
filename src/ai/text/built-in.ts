/** Results without a model: extractive, and modest. Pure. */
import { findChapters } from "./chapters.ts";
import { countMentions } from "./count-mentions.ts";
import { findNames } from "./find-names.ts";
import { mendChapters } from "./mend-chapters.ts";
import { cutToWords, hasMoreWords } from "./plain-text.ts";
import { summarize } from "./summarize.ts";
import type { TextOrder, TextResults } from "./text-result.ts";
import type { Sentence } from "./transcript.ts";

/** Words of the sentence that stands for a chapter. */
const CHAPTER_WORDS = 25;
export const USUAL_SUMMARY_WORDS = 100;
export const SHORTEST_SUMMARY_WORDS = 30;

export const BUILT_IN: {
  [Kind in keyof TextResults]: (
    sentences: readonly Sentence[],
    order: TextOrder,
    durationMs: number,
    cutsMs?: readonly number[],
  ) => Kind extends "namedEntities" ? Promise<TextResults[Kind]> : TextResults[Kind];
} = {
  summary: (sentences, { summaryWords = USUAL_SUMMARY_WORDS }) => ({ summary: summarize(sentences, summaryWords) }),
  chapters: (sentences, _, durationMs, cutsMs) => ({
    chapters: mendChapters(findChapters(sentences, durationMs, cutsMs), durationMs).map((chapter) => ({
      ...chapter,
      summary: cutToWords(
        summarize(
          sentences.filter(({ startMs }) => startMs >= chapter.startMs && startMs < chapter.endMs),
          CHAPTER_WORDS,
        ),
        CHAPTER_WORDS,
      ),
    })),
  }),
  namedEntities: async (sentences) => ({ namedEntities: countMentions(await findNames(sentences), sentences) }),
};

/** A text of so few words is its own summary. */
const FEWEST_WORDS = 5;

export const isShort = (sentences: readonly Sentence[]): boolean =>
  !hasMoreWords(sentences.map(({ text }) => text).join(" "), FEWEST_WORDS);

/** How each kind of result is made of the parts of a transcript, by a model. Pure. */
import type { TextRequest } from "../providers/index.ts";
import { askChapters, joinChapters, readChapters } from "./ask-chapters.ts";
import { askEntities, readEntities } from "./ask-entities.ts";
import { askSummary, MOST_SUMMARY_WORDS, readSummary } from "./ask-summary.ts";
import { USUAL_SUMMARY_WORDS } from "./built-in.ts";
import { countMentions, type FoundName } from "./count-mentions.ts";
import type { Chapter, TextKind, TextOrder, TextResults } from "./text-result.ts";
import type { Sentence } from "./transcript.ts";
import type { TranscriptPart } from "./transcript-parts.ts";

export interface TextSource {
  sentences: readonly Sentence[];
  parts: readonly TranscriptPart[];
  durationMs: number;
}

/** A question, and what its answer says. */
export interface TextStep {
  request: TextRequest;
  /** Null = the answer is unusable. What it returns is stored as JSON. */
  read: (value: unknown) => unknown;
}

interface Rules<Result> {
  /** In order; a later one may depend on the answers before. */
  steps: (source: TextSource, order: TextOrder) => { count: number; step: (n: number, found: unknown[]) => TextStep };
  join: (found: unknown[], source: TextSource) => Result;
}

const wordsOf = ({ summaryWords = USUAL_SUMMARY_WORDS }: TextOrder) => summaryWords;

export const TEXT_RULES: { [Kind in TextKind]: Rules<TextResults[Kind]> } = {
  summary: {
    // A long transcript is summarised by parts, and their summaries once more.
    steps: ({ parts }, order) => ({
      count: parts.length > 1 ? parts.length + 1 : 1,
      step: (n, found) => {
        const isWhole = parts.length === 1;
        const isLast = n === parts.length;
        const words = isWhole || isLast ? wordsOf(order) : MOST_SUMMARY_WORDS;
        const text = isLast ? (found as string[]).join("\n\n") : parts[n]!.text;
        return { request: askSummary(text, words, isLast), read: (value) => readSummary(value, words) };
      },
    }),
    join: (found) => ({ summary: found.at(-1) as string }),
  },
  chapters: {
    steps: ({ parts }) => ({
      count: parts.length,
      step: (n) => ({ request: askChapters(parts[n]!), read: (value) => readChapters(value, parts[n]!) }),
    }),
    join: (found, { durationMs }) => ({ chapters: joinChapters(found as Chapter[][], durationMs) }),
  },
  namedEntities: {
    steps: ({ parts }) => ({
      count: parts.length,
      step: (n) => ({ request: askEntities(parts[n]!), read: readEntities }),
    }),
    join: (found, { sentences }) => ({ namedEntities: countMentions((found as FoundName[][]).flat(), sentences) }),
  },
};

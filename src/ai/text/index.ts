export { BUILT_IN, isShort, SHORTEST_SUMMARY_WORDS, USUAL_SUMMARY_WORDS } from "./built-in.ts";
export { MOST_SUMMARY_WORDS } from "./ask-summary.ts";
export { plainLine } from "./plain-text.ts";
export { askTranslation, inTwoLines, readTranslation, translationParts } from "./ask-translation.ts";
export { cutChapters, mendChapters } from "./mend-chapters.ts";
export {
  type Chapter,
  type NamedEntity,
  TEXT_KINDS,
  type TextKind,
  type TextOrder,
  type TextResults,
} from "./text-result.ts";
export { TEXT_RULES, type TextSource, type TextStep } from "./text-rules.ts";
export { type Sentence, sentencesOf } from "./transcript.ts";
export { fromClock, partsOf, toClock, type TranscriptPart } from "./transcript-parts.ts";

import type { Cue } from "../../media/captions/cue.ts";

/** A sentence of a transcript. Times are milliseconds of the media. */
export interface Sentence {
  text: string;
  startMs: number;
  endMs: number;
}

const SENTENCE_END = /[.!?…。！？؟।]["'”’»)\]]*$/u;
/** A pause that ends a sentence without punctuation. */
const PAUSE_MS = 1500;
/** A text without punctuation is cut into pieces of this many characters. */
const MOST_CHARACTERS = 400;

/** The words of a caption: markup and names of speakers are not said. */
const plain = (text: string): string =>
  text
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/&(?:amp|lt|gt|nbsp|lrm|rlm);/g, (entity) => ENTITIES[entity] ?? "")
    .replaceAll(/\s+/g, " ")
    .trim();
const ENTITIES: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&nbsp;": " " };

/** Joins captions to sentences. Pure. @param cues in the order of their times */
export function sentencesOf(cues: readonly Pick<Cue, "startMs" | "endMs" | "text">[]): Sentence[] {
  const sentences: Sentence[] = [];
  let isOpen = false;
  for (const piece of cues.flatMap(piecesOf)) {
    const last = sentences.at(-1);
    const goesOn = isOpen && last !== undefined && piece.startMs - last.endMs <= PAUSE_MS;
    if (goesOn) {
      last.text += ` ${piece.text}`;
      last.endMs = piece.endMs;
    } else sentences.push({ ...piece });
    const { text } = sentences.at(-1)!;
    isOpen = !SENTENCE_END.test(text) && text.length <= MOST_CHARACTERS;
  }
  return sentences;
}

/** The sentences of one caption, or the parts of sentences that it has, which share its time. */
function piecesOf({ startMs, endMs, text }: Pick<Cue, "startMs" | "endMs" | "text">): Sentence[] {
  const parts = partsOf(plain(text));
  const characters = parts.reduce((sum, { length }) => sum + length, 0);
  let before = 0;
  return parts.map((part) => {
    const timeAt = (at: number) => Math.round(startMs + ((endMs - startMs) * at) / Math.max(1, characters));
    const piece = { text: part, startMs: timeAt(before), endMs: timeAt(before + part.length) };
    before += part.length;
    return piece;
  });
}

const segmenter = new Intl.Segmenter("und", { granularity: "sentence" });
const partsOf = (text: string): string[] =>
  [...segmenter.segment(text)].map(({ segment }) => segment.trim()).filter((part) => part !== "");

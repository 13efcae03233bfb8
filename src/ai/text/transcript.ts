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
  let open: Sentence | null = null;
  const close = () => {
    if (open !== null) sentences.push(open);
    open = null;
  };
  for (const { startMs, endMs, text } of cues) {
    const parts = partsOf(plain(text));
    const characters = parts.reduce((sum, { length }) => sum + length, 0);
    let before = 0;
    for (const part of parts) {
      const timeAt = (at: number) => Math.round(startMs + ((endMs - startMs) * at) / Math.max(1, characters));
      const piece = { text: part, startMs: timeAt(before), endMs: timeAt(before + part.length) };
      before += part.length;
      const last = open as Sentence | null;
      if (last !== null && piece.startMs - last.endMs > PAUSE_MS) close();
      open =
        open === null
          ? piece
          : { ...(open as Sentence), text: `${(open as Sentence).text} ${part}`, endMs: piece.endMs };
      if (SENTENCE_END.test(part) || open.text.length > MOST_CHARACTERS) close();
    }
  }
  close();
  return sentences;
}

const segmenter = new Intl.Segmenter("und", { granularity: "sentence" });
const partsOf = (text: string): string[] =>
  [...segmenter.segment(text)].map(({ segment }) => segment.trim()).filter((part) => part !== "");

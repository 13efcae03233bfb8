/** Reads what servers answer to `POST /audio/transcriptions`. They differ, and none is trusted. Pure. */
import { z } from "zod";
import { hasNoSpaces, spreadText } from "../../../protocol/media/spread-text.ts";
import type { Word } from "../captions/word.ts";
import { languageCodeOf } from "./languages.ts";

/** A piece as a server has heard it; times are milliseconds of the piece. */
export interface Transcription {
  words: Word[];
  /** Null = the server does not say. */
  languageCode: string | null;
  /** Whether words have times of their own, not only their segments. */
  hasWordTimes: boolean;
}

/** Some servers write numbers as strings. */
const Seconds = z.coerce.number();
const TimedWord = z
  .object({ word: z.string().optional(), text: z.string().optional(), start: Seconds, end: Seconds })
  .transform(({ word, text, start, end }) => ({ text: word ?? text ?? "", start, end }));
type TimedWord = z.infer<typeof TimedWord>;
const Segment = z.object({
  text: z.string().default(""),
  start: Seconds,
  end: Seconds,
  words: z.array(TimedWord).nullish(),
});
/** `verbose_json` of OpenAI's API and of those who copy it; `json` has the text alone. */
const Answer = z.object({
  text: z.string().optional(),
  language: z.unknown().optional(),
  words: z.array(TimedWord).nullish(),
  segments: z.array(Segment).nullish(),
});

/** More words, and more text, than anybody says in ten minutes. What is heard in a piece is one row of SQLite, which holds 2 MB. */
const MAX_WORDS = 20_000;
const MAX_CHARACTERS = 200_000;

/**
 * @param durationMs of the piece, over which text without times is spread
 * @returns null when the answer is not one
 */
export function readTranscription(body: unknown, durationMs: number): Transcription | null {
  const answer = Answer.safeParse(body);
  if (!answer.success) return null;
  const { text = "", language, words, segments } = answer.data;
  if (answer.data.text === undefined && !words && !segments) return null; // an error, for example
  const written = [text, ...(segments ?? []).map((segment) => segment.text)];
  if (written.some(({ length }) => length > MAX_CHARACTERS)) return null;
  const languageCode = languageCodeOf(language);
  const ownWords = words ?? segments?.flatMap((segment) => segment.words ?? []) ?? [];
  if (ownWords.length > MAX_WORDS) return null;
  if (ownWords.length > 0) {
    const spoken = joinTokens(ownWords);
    const whole = text.trim() === "" ? written.join(" ") : text;
    return bounded({ words: punctuated(spoken, whole), languageCode, hasWordTimes: true });
  }
  const spread = (segments ?? []).flatMap((segment) =>
    spreadText(segment.text, segment.start * 1000, segment.end * 1000),
  );
  const all = spread.length > 0 ? spread : spreadText(text, 0, durationMs);
  return bounded({ words: all, languageCode, hasWordTimes: false });
}

function bounded(transcription: Transcription): Transcription | null {
  const { words } = transcription;
  const characters = words.reduce((sum, { text }) => sum + text.length, 0);
  return words.length > MAX_WORDS || characters > MAX_CHARACTERS ? null : transcription;
}

/**
 * Makes words of tokens: whisper.cpp lists parts of words, of which the first one begins with a space. Servers that list whole words write none of them with a
 * space, or each.
 */
function joinTokens(tokens: readonly TimedWord[]): Word[] {
  const haveSpaces = tokens.some(({ text }) => /^\s/.test(text));
  const words: Word[] = [];
  for (const { text, start, end } of tokens) {
    const plain = text.trim();
    if (plain === "" || /^\[_.*\]$/.test(plain)) continue; // a token of the model's own, such as [_BEG_]
    const hasSpace = haveSpaces ? /^\s/.test(text) : !hasNoSpaces(plain);
    const last = words.at(-1);
    const continues = last !== undefined && haveSpaces && !hasSpace && !hasNoSpaces(plain);
    if (continues) words[words.length - 1] = { ...last, text: last.text + plain, endMs: end * 1000 };
    else words.push({ text: plain, hasSpace, startMs: start * 1000, endMs: end * 1000 });
  }
  return words;
}

const bare = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
/** How far the text is looked through for a word. */
const LOOK_AHEAD = 6;

/** Gives words their punctuation and capitals from the text, where a server lists them without. */
function punctuated(words: readonly Word[], text: string): Word[] {
  const tokens = text.split(/\s+/).filter((token) => bare(token) !== "");
  let at = 0;
  return words.map((word) => {
    const wanted = bare(word.text);
    const found = tokens.slice(at, at + LOOK_AHEAD).findIndex((token) => bare(token) === wanted);
    if (found < 0 || wanted === "") return word;
    at += found + 1;
    return { ...word, text: tokens[at - 1]! };
  });
}

/** Reads what servers answer to `POST /audio/transcriptions`. They differ, and none is trusted. Pure. */
import { z } from "zod";
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

/** More words than anybody says in ten minutes. */
const MAX_WORDS = 20_000;

/**
 * @param durationMs of the piece, over which text without times is spread
 * @returns null when the answer is not one
 */
export function readTranscription(body: unknown, durationMs: number): Transcription | null {
  const answer = Answer.safeParse(body);
  if (!answer.success) return null;
  const { text = "", language, words, segments } = answer.data;
  if (answer.data.text === undefined && !words && !segments) return null; // an error, for example
  const languageCode = languageCodeOf(language);
  const ownWords = words ?? segments?.flatMap((segment) => segment.words ?? []) ?? [];
  if (ownWords.length > MAX_WORDS) return null;
  if (ownWords.length > 0) {
    const spoken = joinTokens(ownWords);
    const written = text.trim() === "" ? (segments ?? []).map((segment) => segment.text).join(" ") : text;
    return { words: punctuated(spoken, written), languageCode, hasWordTimes: true };
  }
  const spread = (segments ?? []).flatMap((segment) =>
    spreadText(segment.text, segment.start * 1000, segment.end * 1000),
  );
  const all = spread.length > 0 ? spread : spreadText(text, 0, durationMs);
  return all.length > MAX_WORDS ? null : { words: all, languageCode, hasWordTimes: false };
}

const NO_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

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
    const hasSpace = haveSpaces ? /^\s/.test(text) : !NO_SPACES.test(plain);
    const last = words.at(-1);
    const continues = last !== undefined && haveSpaces && !hasSpace && !NO_SPACES.test(plain);
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

/** Words of a text without times, each as long as its share of the characters. */
function spreadText(text: string, startMs: number, endMs: number): Word[] {
  const parts = text.trim() === "" ? [] : text.trim().split(/\s+/).flatMap(splitUnspaced);
  const whole = parts.reduce((sum, { text: part }) => sum + part.length, 0);
  let before = 0;
  return parts.map(({ text: part, hasSpace }) => {
    const [from, until] = [before / whole, (before + part.length) / whole];
    before += part.length;
    const timeAt = (share: number) => startMs + share * (endMs - startMs);
    return { text: part, hasSpace, startMs: timeAt(from), endMs: timeAt(until) };
  });
}

const segmenter = new Intl.Segmenter("und", { granularity: "grapheme" });

/** Chinese and the like: each character with the punctuation behind it, so that lines can be broken. */
function splitUnspaced(text: string): { text: string; hasSpace: boolean }[] {
  if (!NO_SPACES.test(text)) return [{ text, hasSpace: true }];
  const parts: { text: string; hasSpace: boolean }[] = [];
  for (const { segment } of segmenter.segment(text)) {
    const last = parts.at(-1);
    if (last !== undefined && bare(segment) === "") last.text += segment;
    else parts.push({ text: segment, hasSpace: parts.length === 0 });
  }
  return parts;
}

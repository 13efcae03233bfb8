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

/** More words, and more text, than anybody says in ten minutes. What is heard in a piece is one row of SQLite, which holds 2 MB. */
const MAX_WORDS = 20_000;
const MAX_CHARACTERS = 200_000;

/** Some servers write numbers as strings, and null for a time that they do not know. */
const Seconds = z.preprocess(
  (value) => (typeof value === "string" && value.trim() !== "" ? Number(value) : value),
  z.number().nullable().catch(null).optional().default(null),
);
const Text = z.string().nullish().catch(null);
const TimedWord = z
  .object({ word: Text, text: Text, start: Seconds, end: Seconds })
  .transform(({ word, text, start, end }) => ({ text: word ?? text ?? "", start, end }));
type TimedWord = z.infer<typeof TimedWord>;
/** An entry of another kind leaves the others usable. */
const entries = <Entry extends z.ZodType>(entry: Entry) =>
  z
    .array(z.unknown())
    .max(MAX_WORDS)
    .transform((all) =>
      all.flatMap((one): z.output<Entry>[] => {
        const read = entry.safeParse(one);
        return read.success ? [read.data] : [];
      }),
    )
    .nullish();
const Segment = z
  .object({ text: Text, start: Seconds, end: Seconds, words: entries(TimedWord).catch(null) })
  .transform((segment) => ({ ...segment, text: segment.text ?? "" }));
type Segment = z.infer<typeof Segment>;
/** `verbose_json` of OpenAI's API and of those who copy it; `json` has the text alone. */
const Answer = z.object({
  text: z.string().optional(),
  language: z.unknown().optional(),
  words: entries(TimedWord),
  segments: entries(Segment),
});

/**
 * Takes the words with their times; if these cannot be right, the segments; and otherwise the text alone. What was heard is never dropped because of its times.
 *
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
  const ownWords = words?.length ? words : (segments ?? []).flatMap((segment) => segment.words ?? []);
  if (ownWords.length > MAX_WORDS) return null;
  const whole = text.trim() === "" ? written.join(" ") : text;
  const spoken = haveTimes(ownWords, durationMs) ? punctuated(joinTokens(withTimes(ownWords, durationMs)), whole) : [];
  if (covers(spoken, whole)) return bounded({ words: spoken, languageCode, hasWordTimes: true });
  const timed = (segments ?? []).filter((segment) => segment.text.trim() !== "");
  const spread = haveTimes(timed, durationMs)
    ? withTimes(timed, durationMs).flatMap((one) => spreadText(one.text, one.start * 1000, one.end * 1000))
    : [];
  const all = covers(spread, whole) ? spread : spreadText(whole, 0, durationMs);
  return bounded({ words: all, languageCode, hasWordTimes: false });
}

/** Of a hundred times, so many may be impossible. */
const MOST_WRONG_PERCENT = 10;
/** A model may hear the end of a piece a moment late. */
const GRACE_MS = 1000;

/** Whether the times are those of a piece: nearly all are there, lie in it, and are not all the same. */
function haveTimes(list: readonly Pick<TimedWord, "start" | "end">[], durationMs: number): boolean {
  if (list.length === 0) return false;
  const isWrong = ({ start }: Pick<TimedWord, "start">) =>
    start === null || !Number.isFinite(start) || start * 1000 > durationMs + GRACE_MS;
  const wrong = list.filter(isWrong).length;
  const areSame = list.length > 2 && new Set(list.map(({ start }) => start)).size === 1;
  return !areSame && wrong * 100 <= list.length * MOST_WRONG_PERCENT;
}

/** Without a time of its own, an entry has that of the one before. */
function withTimes<Entry extends Pick<TimedWord, "start" | "end">>(list: readonly Entry[], durationMs: number) {
  let last = 0;
  const within = (seconds: number) => Math.max(0, Math.min(seconds, durationMs / 1000));
  return list.map((entry) => {
    const start = within(Number.isFinite(entry.start) ? (entry.start ?? last) : last);
    const end = Number.isFinite(entry.end) ? Math.max(start, entry.end ?? start) : start;
    last = start;
    return { ...entry, start, end };
  });
}

/** Of a text, this share may be missing in its words: servers leave out fillers. */
const LEAST_COVERED = 0.8;

const covers = (words: readonly Word[], text: string): boolean =>
  words.reduce((sum, word) => sum + bare(word.text).length, 0) >= LEAST_COVERED * bare(text).length &&
  (words.length > 0 || bare(text) === "");

function bounded(transcription: Transcription): Transcription | null {
  const { words } = transcription;
  const characters = words.reduce((sum, { text }) => sum + text.length, 0);
  return words.length > MAX_WORDS || characters > MAX_CHARACTERS ? null : transcription;
}

/**
 * Makes words of tokens: whisper.cpp lists parts of words, of which the first one begins with a space. Servers that list whole words write none of them with a
 * space, or each.
 */
function joinTokens(tokens: readonly { text: string; start: number; end: number }[]): Word[] {
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
  const tokens = tokensOf(text);
  const found: Word[] = [];
  let at = 0;
  for (const word of words) {
    const wanted = bare(word.text);
    if (wanted === "") {
      // Punctuation by itself, which the word before may have got from the text.
      if (found.at(-1)?.text.endsWith(word.text) !== true) found.push(word);
      continue;
    }
    const offset = tokens.slice(at, at + LOOK_AHEAD).findIndex((token) => bare(token) === wanted);
    at += offset + 1;
    found.push(offset < 0 ? word : { ...word, text: tokens[at - 1]! });
  }
  return found;
}

/** The words of a text. Punctuation that stands by itself, as in French, belongs to the word before. */
function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  for (const token of text.split(/\s+/)) {
    if (token === "") continue;
    if (bare(token) !== "" || tokens.length === 0) tokens.push(token);
    else tokens.push(`${tokens.pop()!} ${token}`);
  }
  return tokens;
}

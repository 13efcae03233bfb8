import { textOf, type Word } from "./word.ts";

/** A stretch of sound in a piece, which lies elsewhere in the media: silence between stretches was cut away. */
export interface SoundSpan {
  /** In the piece. */
  atMs: number;
  /** In the media. */
  mediaMs: number;
  durationMs: number;
}

/** Names of what is heard, which are no words: `[BLANK_AUDIO]`, `(music)`, `♪`. */
const MARKER = /\[[^\]]*\]|\([^)]*\)|[♪♫🎵🎶]+/gu;
/** A marker may have several words, which come one by one. */
const OPENS = /^[[(]/;
const CLOSES = /[\])][.,!?]?$/;
const MOST_MARKER_WORDS = 4;
/** Stands before the word that it belongs to, as in « Bonjour ». */
const OPENING = /^[\p{Ps}\p{Pi}¿¡]+$/u;
/** Is said as a word: Tom & Jerry, 50 %. */
const SAID = /[&%+=@#§°\p{Sc}]/u;

/** Removes markers. Real words in brackets are not spoken either. Punctuation that stands by itself, as in French, stays with its word. */
export function withoutMarkers(words: readonly Word[]): Word[] {
  const kept: Word[] = [];
  let opening = "";
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]!;
    if (OPENS.test(word.text)) {
      const end = words.findIndex(({ text }, n) => n >= at && n < at + MOST_MARKER_WORDS && CLOSES.test(text));
      if (end >= 0) {
        at = end;
        continue;
      }
    }
    const text = word.text.replaceAll(MARKER, "").trim();
    if (text === "") continue;
    if (/[\p{L}\p{N}]/u.test(text) || SAID.test(text)) {
      kept.push({ ...word, text: opening === "" ? text : `${opening} ${text}` });
      opening = "";
    } else if (OPENING.test(text)) opening = text;
    else if (kept.length > 0) {
      const last = kept.at(-1)!;
      kept[kept.length - 1] = { ...last, text: last.text + (word.hasSpace ? " " : "") + text };
    }
  }
  return kept;
}

/** A phrase that comes this often in a row is none that anybody says. */
const MOST_REPEATS = 4;
const LONGEST_PHRASE = 8;

const bare = ({ text }: Word): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");

/** @returns where a phrase of `length` words is repeated from `start` on, `count` times in a row; null = nowhere */
export const findLoop = (words: readonly Word[]): Loop | null => loopFrom(words.map(bare), 0);

interface Loop {
  start: number;
  length: number;
  count: number;
}

function loopFrom(plain: readonly string[], from: number): Loop | null {
  for (let start = from; start < plain.length; start += 1)
    for (let length = 1; length <= LONGEST_PHRASE && start + length * (MOST_REPEATS + 1) <= plain.length; length += 1) {
      let same = 0;
      while (start + length + same < plain.length && plain[start + same] === plain[start + length + same]) same += 1;
      const count = Math.floor(same / length) + 1;
      if (count > MOST_REPEATS) return { start, length, count };
    }
  return null;
}

/** Keeps the first one of phrases that are repeated. */
export function withoutLoops(words: readonly Word[]): Word[] {
  const [kept, plain] = [[...words], words.map(bare)];
  for (let loop = loopFrom(plain, 0); loop !== null;) {
    const { start, length, count } = loop;
    for (const list of [kept, plain]) list.splice(start + length, length * (count - 1));
    loop = loopFrom(plain, Math.max(0, start - LONGEST_PHRASE * MOST_REPEATS)); // the phrase may be the last of others before it
  }
  return kept;
}

/** Texts with fewer characters say nothing about repetition. */
const SAMPLE_CHARACTERS = 200;
const SHINGLE = 5;
/** Of speech, six of ten runs of five characters are new; of a model that repeats itself, few. */
const LEAST_NEW = 0.35;

/** Whether a text says the same again and again, in other words or orders than a loop of one phrase has. */
export function isRepetitive(words: readonly Word[]): boolean {
  const text = textOf(words).toLowerCase();
  for (let from = 0; from + SAMPLE_CHARACTERS <= text.length; from += SAMPLE_CHARACTERS) {
    const seen = new Set<string>();
    for (let at = from; at < from + SAMPLE_CHARACTERS; at += 1) seen.add(text.slice(at, at + SHINGLE));
    if (seen.size < LEAST_NEW * SAMPLE_CHARACTERS) return true;
  }
  return false;
}

/** Whether a model has repeated itself: it is to hear the piece once more. */
export const isHeardWrong = (words: readonly Word[]): boolean => findLoop(words) !== null || isRepetitive(words);

/** A word is said within this; a longer one has an end that was guessed, and is not to push the next ones away. */
const LONGEST_WORD_MS = 4000;

/**
 * Moves the words of a piece to their places in the media. Times that no piece can have are mended: words are in order, do not overlap, and lie within
 * the piece. Words that begin where no sound was sent are dropped.
 *
 * @param spans in order
 */
export function placeWords(words: readonly Word[], spans: readonly SoundSpan[]): Word[] {
  const placed: Word[] = [];
  let freeMs = -Infinity;
  const inOrder = words
    .filter(({ startMs, endMs }) => Number.isFinite(startMs) && Number.isFinite(endMs))
    .toSorted((a, b) => a.startMs - b.startMs);
  for (const [position, word] of inOrder.entries()) {
    const span = spans.findLast(({ atMs }) => atMs <= word.startMs) ?? spans[0];
    if (span === undefined || word.startMs > span.atMs + span.durationMs) continue;
    const spanEndMs = span.mediaMs + span.durationMs;
    const startMs = Math.max(freeMs, span.mediaMs + Math.max(0, word.startMs - span.atMs));
    const nextMs = inOrder[position + 1]?.startMs ?? Infinity;
    const givenMs = Math.max(0, word.endMs - word.startMs);
    const saidMs = givenMs <= LONGEST_WORD_MS ? givenMs : Math.min(LONGEST_WORD_MS, nextMs - word.startMs);
    const endMs = Math.min(spanEndMs, Math.max(startMs + saidMs, startMs));
    if (startMs > spanEndMs) continue;
    placed.push({ ...word, startMs, endMs: Math.max(endMs, startMs) });
    freeMs = Math.max(endMs, startMs);
  }
  return placed;
}

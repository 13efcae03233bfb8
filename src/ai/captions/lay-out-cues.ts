import { escapeText } from "../../../protocol/media/captions/cue.ts";
import type { Cue } from "../../media/captions/cue.ts";
import { graphemes, piecesOf, textOf, type Word } from "./word.ts";

/** How much text a reader takes in. */
interface Script {
  /** Graphemes of a line. */
  lineLength: number;
  charactersPerSecond: number;
}

/** Two lines of 42 characters, as broadcasters and streaming services have them. */
const LETTERS: Script = { lineLength: 42, charactersPerSecond: 20 };
/** An ideograph or a syllable says more than a letter, and is twice as wide. */
const IDEOGRAPHS: Script = { lineLength: 16, charactersPerSecond: 9 };

const SHORTEST_MS = 800;
const LONGEST_MS = 7000;
/** A cue goes on for a moment when its last word has been said, as far as nothing else begins. */
const LINGER_MS = 300;
/** A longer pause between two words ends the cue. */
const PAUSE_MS = 1200;
/** Text may come this much later than its words, where somebody speaks faster than people read. */
const MOST_LATE_MS = 1500;

/** Punctuation that ends a sentence, and a clause. */
const SENTENCE_END = /[.!?…。！？؟।]["'”’»)\]]*$/u;
const CLAUSE_END = /[,;:–—、，；：،]["'”’»)\]]*$/u;

/** Prices of a break, by what stands before it. A cue costs something itself, so short ones are joined. */
const PRICE = { cue: 10, sentence: 0, clause: 8, pause: 10, word: 40 };
/** A pause that is as good as punctuation. */
const CLEAR_PAUSE_MS = 400;
/** A cue of few characters flashes by. */
const SHORT_CHARACTERS = 12;

/**
 * Makes cues of words: at most two lines of 42 characters (Chinese, Japanese, Korean: 16), broken at clauses, shown long enough to be read, in order and without
 * overlap. What is said is text, also `<` and `-->`. Pure.
 *
 * @param words in the order of their times, without overlap
 * @param durationMs of the media: nothing is shown behind it
 */
export function layOutCues(words: readonly Word[], durationMs: number): Cue[] {
  const script = scriptOf(words);
  const text = new Text(
    words.flatMap((word) => split(word, script.lineLength)),
    script.lineLength,
  );
  return timed(text, groupsOf(text), { ...script, durationMs });
}

const IDEOGRAPH = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

function scriptOf(words: readonly Word[]): Script {
  const wide = words.filter(({ text }) => IDEOGRAPH.test(text)).length;
  return wide * 2 > words.length ? IDEOGRAPHS : LETTERS;
}

/** A word that is longer than a line is cut, and its time shared out. */
function split(word: Word, lineLength: number): Word[] {
  const pieces = piecesOf(word.text, lineLength);
  const shareMs = (word.endMs - word.startMs) / pieces.length;
  return pieces.map((text, n) => ({
    text,
    hasSpace: n === 0 && word.hasSpace,
    startMs: word.startMs + n * shareMs,
    endMs: word.startMs + (n + 1) * shareMs,
  }));
}

/** Words from a position up to another one, which is not among them. */
type Range = readonly [start: number, end: number];

/** Words with the lengths of their ranges, which are asked for often. */
class Text {
  readonly words: readonly Word[];
  readonly #lineLength: number;
  /** Graphemes of the words before each one, with the spaces between them. */
  readonly #before: number[] = [0];
  /** Prices of the breaks before each word. */
  readonly #breaks: number[];

  constructor(words: readonly Word[], lineLength: number) {
    this.words = words;
    this.#lineLength = lineLength;
    this.#breaks = words.map((word, at) => (at === 0 ? 0 : breakPrice(words[at - 1]!, word)));
    for (const { text, hasSpace } of words)
      this.#before.push(this.#before.at(-1)! + (hasSpace ? 1 : 0) + graphemes(text));
  }

  first = ([start]: Range): Word => this.words[start]!;
  last = ([, end]: Range): Word => this.words[end - 1]!;

  /** At the end, nothing. */
  breakBefore = (at: number): number => this.#breaks[at] ?? 0;

  lengthOf([start, end]: Range): number {
    return this.#before[end]! - this.#before[start]! - (this.words[start]!.hasSpace ? 1 : 0);
  }

  isFitting(range: Range): boolean {
    const [start, end] = range;
    if (this.lengthOf(range) <= this.#lineLength) return true;
    let at = start + 1;
    while (at + 1 < end && this.lengthOf([start, at + 1]) <= this.#lineLength) at += 1;
    return Math.max(this.lengthOf([start, at]), this.lengthOf([at, end])) <= this.#lineLength;
  }

  /** Where the range is broken into two lines of which neither is too long, at the best place; its end = it is one line. Null = it does not fit. */
  lineEnd([start, end]: Range): number | null {
    const length = this.lengthOf([start, end]);
    if (length <= this.#lineLength) return end;
    let best: { at: number; price: number } | null = null;
    for (let at = start + 1; at < end; at += 1) {
      const [upper, lower] = [this.lengthOf([start, at]), this.lengthOf([at, end])];
      if (upper > this.#lineLength || lower > this.#lineLength) continue;
      // Halves of one length, unless a clause ends between them; a longer lower line hides less of the picture.
      const price = Math.abs(upper - lower) / 2 + this.#breaks[at]! + (upper > lower ? 2 : 0);
      if (best === null || price < best.price) best = { at, price };
    }
    return best?.at ?? null;
  }

  linesOf(range: Range): string[] {
    const [start, end] = range;
    const at = this.lineEnd(range) ?? end;
    return [this.words.slice(start, at), this.words.slice(at, end)].filter(({ length }) => length > 0).map(textOf);
  }
}

/** Chooses the breaks between cues with the least price in all. */
function groupsOf(text: Text): Range[] {
  const { length } = text.words;
  const prices: number[] = [0];
  const starts: number[] = [0];
  for (let end = 1; end <= length; end += 1) {
    let best = Infinity;
    for (let start = end - 1; start >= 0; start -= 1) {
      if (end - start > 1 && !isCue(text, [start, end])) break;
      const price = prices[start]! + priceOf(text, [start, end]);
      if (price < best) [best, starts[end]] = [price, start];
    }
    prices[end] = best;
  }
  const groups: Range[] = [];
  for (let end = length; end > 0; end = starts[end]!) groups.push([starts[end]!, end]);
  return groups.toReversed();
}

function isCue(text: Text, range: Range): boolean {
  const [first, second] = [text.first(range), text.words[range[0] + 1]!];
  if (second.startMs - first.endMs > PAUSE_MS) return false; // pauses further on were looked at with shorter ranges
  return text.last(range).endMs - first.startMs <= LONGEST_MS && text.isFitting(range);
}

function priceOf(text: Text, range: Range): number {
  const length = text.lengthOf(range);
  const short = length < SHORT_CHARACTERS && range[1] < text.words.length ? (SHORT_CHARACTERS - length) * 2 : 0;
  return PRICE.cue + short + text.breakBefore(range[1]);
}

function breakPrice(last: Word, next: Word): number {
  if (SENTENCE_END.test(last.text)) return PRICE.sentence;
  const pauseMs = next.startMs - last.endMs;
  if (pauseMs > PAUSE_MS) return 0;
  if (CLAUSE_END.test(last.text)) return PRICE.clause;
  return pauseMs > CLEAR_PAUSE_MS ? PRICE.pause : PRICE.word;
}

/** A cue begins with its first word, unless the one before has to be read first. */
function timed(
  text: Text,
  groups: readonly Range[],
  { charactersPerSecond, durationMs }: Script & { durationMs: number },
): Cue[] {
  const latest = latestEnds(text, groups, durationMs);
  const cues: Cue[] = [];
  let freeMs = 0;
  for (const [position, group] of groups.entries()) {
    const [first, last] = [text.first(group), text.last(group)];
    const lines = text.linesOf(group);
    const needMs = Math.max(SHORTEST_MS, Math.ceil((text.lengthOf(group) / charactersPerSecond) * 1000));
    const next = groups[position + 1];
    const nextMs = next === undefined ? durationMs : text.first(next).startMs;
    const lingerMs = Math.min(last.endMs + LINGER_MS, Math.max(last.endMs, nextMs));
    const startMs = Math.max(freeMs, first.startMs);
    const endMs = Math.min(
      Math.max(lingerMs, startMs + needMs),
      Math.max(nextMs + MOST_LATE_MS, last.endMs),
      latest[position]!,
    );
    // Where there is not enough time behind it, it takes what is free before it.
    const earliestMs = Math.max(freeMs, Math.min(startMs, endMs - needMs));
    const [start, end] = [Math.floor(earliestMs), Math.floor(endMs)];
    cues.push({ startMs: start, endMs: end, settings: "", text: escapeText(lines.join("\n")) });
    freeMs = end;
  }
  return cues;
}

/** However fast somebody speaks, each cue leaves those behind it some time before the end of the media. */
const LEAST_MS = 200;

function latestEnds(text: Text, groups: readonly Range[], durationMs: number): number[] {
  const latest: number[] = [];
  let endMs = durationMs;
  for (const group of groups.toReversed()) {
    latest.push(endMs);
    endMs -= Math.min(LEAST_MS, Math.max(1, text.last(group).endMs - text.first(group).startMs));
  }
  return latest.toReversed();
}

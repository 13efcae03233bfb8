import { MAX_TITLE_CHARACTERS } from "./mend-chapters.ts";
import { cutToCharacters } from "./plain-text.ts";
import { type Term, termsOfAll } from "./terms.ts";
import type { Chapter } from "./text-result.ts";
import type { Sentence } from "./transcript.ts";

/** Longer texts are looked at in groups of sentences. */
const MOST_UNITS = 500;
/** A chapter is this long at least, and more in a long media. */
const LEAST_MS = 10_000;
const SHARE_OF_MEDIA = 1 / 40;
/** What another chapter costs, as a multiple of the logarithm of the text's length; a pause or a scene cut before it makes it cheaper. */
const PRICE = 1.6;
const PAUSE_MS = 2000;
const PAUSE_WORTH = 0.35;
const CUT_WORTH = 0.2;
/** A picture may change so much before or after somebody goes on to speak. */
const CUT_DISTANCE_MS = 2000;
/** Of a unit, in a long text: the work grows with them. */
const MOST_TERMS = 150;

interface Unit {
  /** Its first sentence. */
  text: string;
  startMs: number;
  endMs: number;
  terms: Term[];
}

/**
 * Cuts a text where its words change, by the segmentation of greatest probability: each chapter has a distribution of words of its own, with Laplace's
 * estimate (Utiyama and Isahara, 2001). Pure.
 *
 * @param cutsMs when the picture changes, in order
 * @returns in order, without gaps: the first begins at 0, the last ends with the media; none for a text without sentences
 */
export function findChapters(
  sentences: readonly Sentence[],
  durationMs: number,
  cutsMs: readonly number[] = [],
): Chapter[] {
  const units = unitsOf(sentences);
  if (units.length === 0) return [];
  const leastMs = Math.max(LEAST_MS, durationMs * SHARE_OF_MEDIA);
  const worths = worthsOf(units, cutsMs);
  const starts = borders(units, worths, leastMs, durationMs);
  return starts.map((start, n) => {
    const next = starts[n + 1];
    const terms = units.slice(start, next ?? units.length).flatMap((unit) => unit.terms);
    return {
      title: titleOf(terms, units) || cutToCharacters(units[start]!.text, MAX_TITLE_CHARACTERS),
      summary: "",
      startMs: n === 0 ? 0 : units[start]!.startMs,
      endMs: next === undefined ? durationMs : units[next]!.startMs,
    };
  });
}

function unitsOf(sentences: readonly Sentence[]): Unit[] {
  const terms = termsOfAll(sentences);
  const size = Math.ceil(sentences.length / MOST_UNITS);
  const units: Unit[] = [];
  for (let at = 0; at < sentences.length; at += size) {
    const end = Math.min(at + size, sentences.length);
    units.push({
      text: sentences[at]!.text,
      startMs: sentences[at]!.startMs,
      endMs: sentences[end - 1]!.endMs,
      terms: terms.slice(at, end).flat().slice(0, MOST_TERMS),
    });
  }
  return units;
}

/** How much a border before each unit is worth, as a share of its price. */
function worthsOf(units: readonly Unit[], cutsMs: readonly number[]): number[] {
  let at = 0;
  return units.map(({ startMs }, n) => {
    const beforeMs = units[n - 1]?.endMs ?? 0;
    const pause = Math.min(1, Math.max(0, startMs - beforeMs) / PAUSE_MS) * PAUSE_WORTH;
    while (at < cutsMs.length && cutsMs[at]! < Math.min(beforeMs, startMs) - CUT_DISTANCE_MS) at += 1;
    const isCut = at < cutsMs.length && cutsMs[at]! <= startMs + CUT_DISTANCE_MS;
    return pause + (isCut ? CUT_WORTH : 0);
  });
}

/** The positions at which chapters begin; the first is 0. */
function borders(units: readonly Unit[], worths: readonly number[], leastMs: number, durationMs: number): number[] {
  const vocabulary = new Set(units.flatMap(({ terms }) => terms.map(({ stem }) => stem))).size;
  const words = units.reduce((sum, { terms }) => sum + terms.length, 0);
  const price = PRICE * Math.log(Math.max(2, words));
  const best: { cost: number; from: number }[] = [{ cost: 0, from: 0 }];
  for (let end = 1; end <= units.length; end += 1) {
    const endMs = end === units.length ? durationMs : units[end]!.startMs;
    const counts = new Map<string, number>();
    let [total, cost] = [0, 0];
    let found = { cost: Infinity, from: 0 };
    for (let start = end - 1; start >= 0; start -= 1) {
      for (const { stem } of units[start]!.terms) {
        // One word more of a kind: log((n + V)! / …) grows by the terms of Laplace's estimate.
        const count = counts.get(stem) ?? 0;
        counts.set(stem, count + 1);
        cost += Math.log(total + vocabulary) - Math.log(count + 1);
        total += 1;
      }
      const startMs = start === 0 ? 0 : units[start]!.startMs;
      if (endMs - startMs < leastMs && start > 0) continue;
      const worth = start === 0 ? 0 : worths[start]!;
      const whole = best[start]!.cost + cost + price * (1 - worth);
      if (whole < found.cost) found = { cost: whole, from: start };
    }
    best.push(found);
  }
  const starts: number[] = [];
  for (let end = units.length; end > 0; end = best[end]!.from) starts.push(best[end]!.from);
  return starts.toReversed();
}

/** The terms that a chapter has more often than the rest of the text, as they are written. */
function titleOf(terms: readonly Term[], units: readonly Unit[]): string {
  const everywhere = new Map<string, number>();
  for (const unit of units)
    for (const stem of new Set(unit.terms.map((term) => term.stem)))
      everywhere.set(stem, (everywhere.get(stem) ?? 0) + 1);
  const found = new Map<string, { text: string; count: number; first: number }>();
  for (const [position, { stem, text }] of terms.entries()) {
    const known = found.get(stem);
    if (known === undefined) found.set(stem, { text, count: 1, first: position });
    else known.count += 1;
  }
  const weight = ([stem, { count }]: [string, { count: number }]) =>
    count * Math.log(1 + units.length / (everywhere.get(stem) ?? 1));
  const top = [...found]
    .toSorted((a, b) => weight(b) - weight(a))
    .slice(0, 3)
    .map(([, one]) => one)
    .toSorted((a, b) => a.first - b.first)
    .map(({ text }) => text);
  const words = top.map((text, n) => (n === 0 ? text.charAt(0).toUpperCase() + text.slice(1) : text));
  const title = words.join(", ");
  return title.length <= MAX_TITLE_CHARACTERS ? title : cutToCharacters(words[0]!, MAX_TITLE_CHARACTERS);
}

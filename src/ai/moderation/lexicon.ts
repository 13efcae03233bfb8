import type { Sentence } from "../text/index.ts";
import type { ModerationCategory } from "./categories.ts";
import { WORDS } from "./lexicon-words.ts";
import type { Finding } from "./moderation-result.ts";

/** What one word says of its category. Four mild ones within a minute are above the usual threshold, and so is one strong one. */
const STRONG = 0.6;
const MILD = 0.2;
/** What is said within this time belongs together. */
const TOGETHER_MS = 60_000;

interface Term {
  category: ModerationCategory;
  words: string[];
  weight: number;
}
interface Terms {
  categories: ModerationCategory[];
  /** By their first word. */
  byFirst: Map<string, Term[]>;
}

const known = new Map<string, Terms>();

/**
 * Scores what is said by a short list of words (`lexicon-words.ts`): whole words and phrases, each counted once a minute. Pure.
 *
 * @param languageCode of the transcript; `und` = all languages of the list are tried
 * @returns the score of each passage with such words, at the sentence of the strongest one, and 0 for each category of which there is none; null = the list has no words of this language
 */
export function findWords(sentences: readonly Sentence[], languageCode: string): Finding[] | null {
  const terms = termsOf(languageCode);
  if (terms === null) return null;
  const findings: Finding[] = [];
  let recent: { term: Term; startMs: number; endMs: number }[] = [];
  for (const { text, startMs, endMs } of sentences) {
    const hits = hitsIn(wordsOf(text), terms);
    if (hits.length === 0) continue;
    const said = new Set(hits);
    recent = [
      ...recent.filter((one) => startMs - one.startMs <= TOGETHER_MS && !said.has(one.term)),
      ...[...said].map((term) => ({ term, startMs, endMs })),
    ];
    for (const category of new Set(hits.map((term) => term.category))) {
      const together = recent.filter(({ term }) => term.category === category);
      const unlikely = together.reduce((product, { term }) => product * (1 - term.weight), 1);
      // Whoever reviews the moment hears the strongest word.
      const strongest = together.reduce((one, other) => (other.term.weight > one.term.weight ? other : one));
      const times = { startMs: strongest.startMs, endMs: strongest.endMs };
      findings.push({ category, score: 1 - unlikely, ...times, source: "speech" });
    }
  }
  const found = new Set(findings.map(({ category }) => category));
  const startMs = sentences[0]?.startMs ?? 0;
  const none = terms.categories.filter((category) => !found.has(category));
  return [
    ...findings,
    ...none.map((category): Finding => ({ category, score: 0, startMs, endMs: startMs, source: "speech" })),
  ];
}

/** Apostrophes and hyphens are part of words. */
const wordsOf = (text: string): string[] =>
  text
    .normalize("NFC")
    .replaceAll("’", "'")
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+(?:['-][\p{L}\p{M}\p{N}]+)*/gu) ?? [];

/** Words of a longer phrase are not counted again for the same category. */
function hitsIn(words: readonly string[], { byFirst }: Terms): Term[] {
  const hits: Term[] = [];
  const takenUntil = new Map<ModerationCategory, number>();
  for (const [at, word] of words.entries())
    for (const term of byFirst.get(word) ?? []) {
      if (at < (takenUntil.get(term.category) ?? 0)) continue;
      if (!term.words.every((one, n) => words[at + n] === one)) continue;
      takenUntil.set(term.category, at + term.words.length);
      hits.push(term);
    }
  return hits;
}

function termsOf(languageCode: string): Terms | null {
  const language = languageCode.split("-")[0]!.toLowerCase();
  const lexicons = language === "und" ? Object.values(WORDS) : [WORDS[language]].filter((one) => one !== undefined);
  if (lexicons.length === 0) return null;
  const before = known.get(language);
  if (before !== undefined) return before;
  const byFirst = new Map<string, Term[]>();
  const categories = new Set<ModerationCategory>();
  const add = (category: ModerationCategory, list: string, weight: number) => {
    for (const phrase of list.split(",")) {
      const words = wordsOf(phrase);
      const [first] = words;
      if (first === undefined) continue;
      categories.add(category);
      // The longest phrase is tried first.
      const sorted = [...(byFirst.get(first) ?? []), { category, words, weight }];
      byFirst.set(
        first,
        sorted.toSorted((a, b) => b.words.length - a.words.length),
      );
    }
  };
  for (const lexicon of lexicons)
    for (const [category, { strong = "", mild = "" }] of Object.entries(lexicon)) {
      add(category as ModerationCategory, strong, STRONG);
      add(category as ModerationCategory, mild, MILD);
    }
  const terms = { categories: [...categories], byFirst };
  known.set(language, terms);
  return terms;
}

import type { Sentence } from "./transcript.ts";

/** A word that says what a text is about. */
export interface Term {
  /** The same for forms of one word. */
  stem: string;
  /** As it is written. */
  text: string;
}

const segmenter = new Intl.Segmenter("und", { granularity: "word" });
/** Shorter words of scripts with letters are particles. */
const LEAST_LETTERS = 3;
/** Forms of a word differ behind this many letters in most languages. */
const STEM_LETTERS = 6;
const IDEOGRAPHS = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

/** Function words of English, which are longer than those of the languages that the frequency of words is enough for. */
const COMMON = new Set(
  "about above after again against all also although always among and another any anything are around ask asked away back because been before being below between both but came can cannot come could day did different does doing done down during each else enough even ever every everything few first for found from gave get give given goes going gone good got great had has have having her here hers herself him himself his how however into its itself just keep kind know last later least less let like little long look lot made make makes many may maybe mean might more most much must myself never new next not nothing now off often old once one only onto other our ourselves out over own part people perhaps put quite rather really right said same saw say says see seem seen shall she should since small some something soon still such take taken than that the their them themselves then there these they thing things think this those though through thus time today together too took toward two under until upon use used very want was way well went were what when where which while who whole whom whose why will with within without would year years yes yet you your yours yourself".split(
    " ",
  ),
);

function termsOf(text: string): Term[] {
  const terms: Term[] = [];
  for (const { segment, isWordLike } of segmenter.segment(text)) {
    if (isWordLike !== true) continue;
    const lower = segment.toLowerCase();
    const isIdeographic = IDEOGRAPHS.test(lower);
    if (!isIdeographic && (lower.length < LEAST_LETTERS || COMMON.has(lower) || /^\d/.test(lower))) continue;
    terms.push({ stem: isIdeographic ? lower : stemOf(lower), text: segment });
  }
  return terms;
}

/** Endings are cut, and then the length, so that "train" and "trains" are one. */
function stemOf(lower: string): string {
  const cut = (word: string, ending: RegExp) => {
    const bare = word.replace(ending, "");
    return bare.length < LEAST_LETTERS ? word : bare;
  };
  const single = cut(lower.replace(/['’]s$/, ""), /(?:ies|es|s)$/);
  return cut(single, /(?:ing|ed|en|er|e|n)$/).slice(0, STEM_LETTERS);
}

/** A stem in more of the sentences than this says nothing about any of them. */
const MOST_SHARE = 0.25;
/** In fewer sentences, a share says nothing. */
const LEAST_SENTENCES = 12;

/** The terms of each sentence, without those that are everywhere. */
export function termsOfAll(sentences: readonly Sentence[]): Term[][] {
  const all = sentences.map(({ text }) => termsOf(text));
  if (all.length < LEAST_SENTENCES) return all;
  const counts = new Map<string, number>();
  for (const terms of all)
    for (const stem of new Set(terms.map((term) => term.stem))) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  const isEverywhere = (stem: string) => (counts.get(stem) ?? 0) > MOST_SHARE * all.length;
  return all.map((terms) => terms.filter(({ stem }) => !isEverywhere(stem)));
}

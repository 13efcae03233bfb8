import type { EntityCategory, NamedEntity } from "./text-result.ts";
import type { Sentence } from "./transcript.ts";

/** A name that an engine has found, with other spellings of it. */
export interface FoundName {
  name: string;
  category: EntityCategory;
  spellings: string[];
}

/** Events of a media contain them all. */
const MAX_ENTITIES = 100;
const MAX_TIMES = 10;
/** Shorter last names are mostly words. */
const LEAST_LAST_NAME = 4;

const WORD = /[\p{L}\p{N}\p{M}]+(?:['’&.-][\p{L}\p{N}\p{M}]+)*/gu;
const MARKS = /\p{M}/gu;
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

/** The words of a text as names are compared: without case, accents, possessives. */
const wordsOf = (text: string): string[] =>
  (text.match(WORD) ?? []).map((word) =>
    word
      .normalize("NFKD")
      .replaceAll(MARKS, "")
      .toLowerCase()
      .replace(/['’]s?$/u, "")
      .replaceAll(/[.’']/g, ""),
  );
const keyOf = (text: string): string => (DENSE.test(text) ? text.replaceAll(/\s/g, "") : wordsOf(text).join(" "));

interface Merged {
  name: string;
  category: EntityCategory;
  keys: Set<string>;
}

/**
 * Merges spellings of the same names, and counts them in the transcript. What is not said there is left out: engines invent. Pure.
 *
 * @returns the names that are mentioned most, first
 */
export function countMentions(found: readonly FoundName[], sentences: readonly Sentence[]): NamedEntity[] {
  const merged = merge(found);
  const byFirstWord = new Map<string, { words: string[]; of: number }[]>();
  const dense: { key: string; of: number }[] = [];
  for (const [of, { keys }] of merged.entries())
    for (const key of keys) {
      if (DENSE.test(key)) {
        dense.push({ key, of });
        continue;
      }
      const words = key.split(" ");
      const first = byFirstWord.get(words[0]!) ?? [];
      byFirstWord.set(words[0]!, [...first, { words, of }]);
    }
  for (const list of byFirstWord.values()) list.sort((a, b) => b.words.length - a.words.length); // the longest is meant
  const times: number[][] = merged.map(() => []);
  const counts = merged.map(() => 0);
  const note = (of: number, ms: number) => {
    counts[of]! += 1;
    if (times[of]!.length < MAX_TIMES) times[of]!.push(ms);
  };
  for (const { text, startMs } of sentences) {
    const words = wordsOf(text);
    for (let at = 0; at < words.length; at += 1) {
      const match = byFirstWord.get(words[at]!)?.find((one) => one.words.every((word, n) => words[at + n] === word));
      if (match === undefined) continue;
      note(match.of, startMs);
      at += match.words.length - 1;
    }
    for (const { key, of } of dense)
      for (let from = text.indexOf(key); from >= 0; from = text.indexOf(key, from + key.length)) note(of, startMs);
  }
  return merged
    .map(({ name, category }, of) => ({ name, category, count: counts[of]!, timesMs: times[of]! }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count)
    .slice(0, MAX_ENTITIES);
}

function merge(found: readonly FoundName[]): Merged[] {
  const merged: Merged[] = [];
  // Long names first, so that a part of one finds it.
  for (const { name, category, spellings } of found.toSorted((a, b) => b.name.length - a.name.length)) {
    const keys = [name, ...spellings].map(keyOf).filter((key) => key !== "");
    const known = merged.find((one) => keys.some((key) => one.keys.has(key))) ?? partOf(name, category, merged);
    if (known === undefined) merged.push({ name, category, keys: new Set(keys) });
    else for (const key of keys) known.keys.add(key);
  }
  addLastNames(merged);
  // A spelling of one may be the name of another.
  const taken = new Set<string>();
  for (const { keys } of merged)
    for (const key of keys)
      if (taken.has(key)) keys.delete(key);
      else taken.add(key);
  return merged;
}

/** People are called by their last names, unless two have the same. */
function addLastNames(merged: readonly Merged[]): void {
  const people = merged.filter(({ category }) => category === "person");
  const lastOf = ({ name }: Merged) => keyOf(name).split(" ").at(-1)!;
  const bearers = Map.groupBy(people, lastOf);
  for (const [last, all] of bearers)
    if (all.length === 1 && last.length >= LEAST_LAST_NAME && !DENSE.test(last)) all[0]!.keys.add(last);
}

/** The one longer name whose first or last word this is: "Lovelace" is "Ada Lovelace", unless there are two of them. */
function partOf(name: string, category: EntityCategory, merged: readonly Merged[]): Merged | undefined {
  const key = keyOf(name);
  if (category !== "person" || key.includes(" ") || DENSE.test(key)) return undefined;
  const longer = merged.filter((one) => {
    const words = keyOf(one.name).split(" ");
    return one.category === "person" && words.length > 1 && (words[0] === key || words.at(-1) === key);
  });
  return longer.length === 1 ? longer[0] : undefined;
}

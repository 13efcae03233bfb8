import { endsByCharacter, searchedText } from "./searched-text.ts";

/** What the tokenizer takes for words: see `CATEGORIES` of `cue-index.ts`. */
const WORD = /[\p{L}\p{N}\p{Co}][\p{L}\p{N}\p{Co}\p{M}]*/gu;
/** Two letters. One is a word of its own: a tenth of all words begin with it, and each would be read. */
const SHORTEST_BEGINNING = /^.{2}/u;

/**
 * The expression of FTS5 for plain words: each is quoted, so nothing of what was typed is syntax. All words have to be in the text, in any order;
 * what is written without space, such as `well-known` or `東京都`, in this order. The last one may be the beginning of a word.
 *
 * @returns null when nothing of it is a letter or a digit
 */
export function matchQuery(query: string): string | null {
  const words = query
    .toWellFormed()
    .normalize("NFKC")
    .split(/[\s\p{Cc}"]+/u)
    .map((word) => searchedText(word).trim())
    .filter((word) => wordsOf(word).length > 0);
  const last = words.at(-1);
  if (last === undefined) return null;
  return `${words.map((word) => `"${word}"`).join(" ")}${isBeginning(last) ? "*" : ""}`;
}

function isBeginning(word: string): boolean {
  const last = wordsOf(word).at(-1) ?? "";
  return SHORTEST_BEGINNING.test(last) && !endsByCharacter(last);
}

/** The words of a text of `searchedText`. */
export const wordsOf = (text: string): string[] => text.match(WORD) ?? [];

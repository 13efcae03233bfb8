import { searchedText } from "./searched-text.ts";
import { wordsOf } from "./match-query.ts";

/** UTF-16 code units, without the marks of what is left out. */
const SNIPPET_LENGTH = 200;
const BEFORE_WORD = 60;
/** Of surrogate pairs that the cut has parted. */
const HALVES = /^[\udc00-\udfff]|[\ud800-\udbff]$/g;

/**
 * A caption or title as one line of plain text: what looks like markup is text. Of a long one, the part around the first word of the question that is
 * found in it.
 */
export function snippetOf(text: string, query: string): string {
  const oneLine = text.replace(/\s+/gu, " ").trim();
  if (oneLine.length <= SNIPPET_LENGTH) return oneLine;
  const at = Math.min(Math.max(0, placeOf(oneLine, query) - BEFORE_WORD), oneLine.length - SNIPPET_LENGTH);
  const from = at === 0 ? 0 : wordStart(oneLine, at);
  const to = from + SNIPPET_LENGTH >= oneLine.length ? oneLine.length : wordEnd(oneLine, from + SNIPPET_LENGTH);
  const part = oneLine.slice(from, to).replace(HALVES, "").trim();
  return `${from === 0 ? "" : "…"}${part}${to === oneLine.length ? "" : "…"}`;
}

/** Where the first of the words is; 0 when none is recognised. */
function placeOf(text: string, query: string): number {
  const words = new Set(wordsOf(plainest(searchedText(query))));
  const plain = plainest(text);
  const places = [...words].map((word) => plain.indexOf(word)).filter((place) => place >= 0);
  return places.length === 0 ? 0 : Math.min(...places);
}

/** Without case and diacritics, and with as many code units as the text: what has others stays as it is. */
const plainest = (text: string): string =>
  text.replace(/[^\u0020-\u0040\u005b-\u007f]/gu, (char) => {
    const plain = char
      .normalize("NFKD")
      .replace(/\p{Mn}/gu, "")
      .toLowerCase();
    return plain.length === char.length ? plain : char;
  });

/** The next space from here on, unless it is far away. */
function wordStart(text: string, at: number): number {
  const space = text.indexOf(" ", at);
  return space < 0 || space > at + BEFORE_WORD / 2 ? at : space + 1;
}

function wordEnd(text: string, at: number): number {
  const space = text.lastIndexOf(" ", at);
  return space < at - BEFORE_WORD / 2 ? at : space;
}

/** What models write, as the plain text that it is shown as. Pure. */

/** Markup of Markdown, and characters that are not shown. */
const MARKUP = /(?:\*\*|__|`+|^#{1,6}\s+|^[-*]\s+)/gmu;
const INVISIBLE = /[\p{Cc}\p{Cf}]/gu;

/** One line without markup. */
export const plainLine = (text: string): string =>
  text.replaceAll(MARKUP, "").replaceAll(/\s+/gu, " ").replaceAll(INVISIBLE, "").trim();

const segmenter = new Intl.Segmenter("und", { granularity: "word" });

/** Where the first words of a text end: so many at most. Scripts without spaces have words, too. */
function wordEnds(text: string, most: number): number[] {
  const ends: number[] = [];
  for (const { segment, index, isWordLike } of segmenter.segment(text)) {
    if (ends.length === most) break;
    if (isWordLike === true) ends.push(index + segment.length);
  }
  return ends;
}

export const countWords = (text: string): number => wordEnds(text, Infinity).length;

/** Reads no more of the text than that. */
export const hasMoreWords = (text: string, count: number): boolean => wordEnds(text, count + 1).length > count;

const SENTENCE_END = /[.!?…。！？؟।]["'”’»)\]]*(?=\s|$)|[。！？]/gu;

/** A text of so many words at most, which ends with a sentence if one ends in its second half. */
export function cutToWords(text: string, most: number): string {
  const ends = wordEnds(text, most + 1);
  if (ends.length <= most) return text;
  const cut = text.slice(0, ends[most - 1]);
  const [last] = [...cut.matchAll(SENTENCE_END)].slice(-1);
  const end = last === undefined ? 0 : last.index + last[0].length;
  return end > cut.length / 2 ? cut.slice(0, end) : `${cut.trimEnd()}…`;
}

const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" });

/** A line of so many characters (UTF-16) at most, which ends with a word. */
export function cutToCharacters(text: string, most: number): string {
  if (text.length <= most) return text;
  let cut = "";
  for (const { segment } of graphemes.segment(text)) {
    if (cut.length + segment.length > most - 1) break;
    cut += segment;
  }
  const space = cut.lastIndexOf(" ");
  return `${(space > most / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}

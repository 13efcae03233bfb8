/** One word as a transcription has it. Times are milliseconds of the media. */
export interface Word {
  startMs: number;
  endMs: number;
  /** Without white space at its ends; with the punctuation beside it. */
  text: string;
  /** Whether a space stands before it: scripts such as Chinese have none. */
  hasSpace: boolean;
}

export const textOf = (words: readonly Word[]): string =>
  words.map(({ text, hasSpace }, position) => (hasSpace && position > 0 ? ` ${text}` : text)).join("");

const segmenter = new Intl.Segmenter("und", { granularity: "grapheme" });

/** Length in graphemes: what a reader takes for one character. */
export function graphemes(text: string): number {
  // oxlint-disable-next-line no-control-regex -- ASCII, where a code unit is a grapheme
  if (/^[\x00-\x7f]*$/.test(text)) return text.length;
  let count = 0;
  for (const _ of segmenter.segment(text)) count += 1;
  return count;
}

/** Cuts a text without spaces into pieces of at most this many graphemes. */
export function piecesOf(text: string, length: number): string[] {
  if (graphemes(text) <= length) return [text];
  const pieces: string[] = [];
  let piece = "";
  let count = 0;
  for (const { segment } of segmenter.segment(text)) {
    if (count === length) {
      pieces.push(piece);
      [piece, count] = ["", 0];
    }
    piece += segment;
    count += 1;
  }
  return [...pieces, piece];
}

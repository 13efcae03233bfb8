/** Shares the time of a text out among its words, for speech models that give none to each. Pure. */

const NO_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/** Whether the words of a text have no spaces between them. */
export const hasNoSpaces = (text: string): boolean => NO_SPACES.test(text);

export interface SpreadWord {
  text: string;
  hasSpace: boolean;
  startMs: number;
  endMs: number;
}

/** Words of a text without times, each as long as its share of the characters. */
export function spreadText(text: string, startMs: number, endMs: number): SpreadWord[] {
  const parts = text.trim() === "" ? [] : text.trim().split(/\s+/).flatMap(splitUnspaced);
  const whole = parts.reduce((sum, { text: part }) => sum + part.length, 0);
  let before = 0;
  return parts.map(({ text: part, hasSpace }) => {
    const [from, until] = [before / whole, (before + part.length) / whole];
    before += part.length;
    const timeAt = (share: number) => startMs + share * (endMs - startMs);
    return { text: part, hasSpace, startMs: timeAt(from), endMs: timeAt(until) };
  });
}

const segmenter = new Intl.Segmenter("und", { granularity: "grapheme" });

/** Chinese and the like: each character with the punctuation behind it, so that lines can be broken. */
function splitUnspaced(text: string): { text: string; hasSpace: boolean }[] {
  if (!hasNoSpaces(text)) return [{ text, hasSpace: true }];
  const parts: { text: string; hasSpace: boolean }[] = [];
  for (const { segment } of segmenter.segment(text)) {
    const last = parts.at(-1);
    if (last !== undefined && !/[\p{L}\p{N}]/u.test(segment)) last.text += segment;
    else parts.push({ text: segment, hasSpace: parts.length === 0 });
  }
  return parts;
}

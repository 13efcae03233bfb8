/** Captions that a search index is filled with: words with the frequencies of language, and words of known shares. */

/** One track of one media; the caller repeats it with the next number. */
export interface CaptionFilling {
  workspaceId: string;
  /** Of the track. */
  number: number;
  captions: number;
}

const VOCABULARY = 50_000;
const LETTERS = "etaoinshrdlucmfwypvbgkqjxz";
const CHARACTERS = 3000;
const FIRST_CHARACTER = 0x4e00;

/** One caption in so many has the word. The aim is about words in one of a hundred. */
const SHARES = { seldom: 10_000, percentage: 100, everywhere: 2 } as const;
export const CHINESE = "東京都";

/** Repeatable numbers from 0 to 1. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return state / 0x7fff_ffff;
  };
}

const words = makeWords();
function makeWords(): string[] {
  const next = numbersFrom(7);
  const letter = () => LETTERS[Math.floor(next() * next() * LETTERS.length)]!;
  return Array.from({ length: VOCABULARY }, () => Array.from({ length: 2 + Math.floor(next() * 8) }, letter).join(""));
}

/** The text of each caption of a track, six to thirteen words long. One in ten is Chinese. */
export function* captionTexts({ number, captions }: CaptionFilling): Generator<string> {
  const next = numbersFrom(number + 1);
  // By Zipf's law.
  const word = () => words[Math.floor(VOCABULARY ** next()) - 1] ?? words[0]!;
  const character = () => String.fromCodePoint(FIRST_CHARACTER + Math.floor(CHARACTERS ** next()));
  for (let n = number * captions; n < (number + 1) * captions; n += 1) {
    const length = 6 + Math.floor(next() * 8);
    const isChinese = n % 10 === 3;
    const parts = Array.from({ length }, isChinese ? character : word);
    for (const [name, one] of Object.entries(SHARES)) if (n % one === 0) parts.push(name);
    yield isChinese ? `${parts.join("")}${n % 100 === 3 ? CHINESE : ""}` : parts.join(" ");
  }
}

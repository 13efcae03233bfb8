/** Words are moved out of the silence that a model gives them. */
import { expect, test } from "vitest";
import type { SpokenWord } from "../../../protocol/speech.ts";
import { anchorSentences } from "../../../encoder/speech/anchor-sentences.ts";
import { loudFrames } from "../../../encoder/speech/loudness.ts";
import { snapWords } from "../../../encoder/speech/snap-words.ts";

const RATE_HZ = 16_000;

/** Sound in the given stretches, in ms. */
function soundIn(lengthMs: number, ...loud: [number, number][]): boolean[] {
  const samples = Float32Array.from({ length: (lengthMs / 1000) * RATE_HZ }, (_, n) => {
    const ms = (n / RATE_HZ) * 1000;
    return loud.some(([from, to]) => ms >= from && ms < to) ? 0.3 * Math.sin(n / 3) : 0.0005 * Math.sin(n);
  });
  return loudFrames(samples, RATE_HZ);
}

test.each<[string, [number, number][], [number, number][], [number, number][]]>([
  [
    "a word that begins in a pause begins with the sound",
    [
      [0, 1000],
      [2000, 3000],
    ],
    [
      [0, 1000],
      [1100, 2500],
    ],
    [
      [0, 1000],
      [1980, 2500],
    ],
  ],
  [
    "a word that ends in a pause ends with its sound",
    [
      [0, 1000],
      [2000, 3000],
    ],
    [
      [0, 1700],
      [2000, 2500],
    ],
    [
      [0, 1000],
      [2000, 2500],
    ],
  ],
  [
    "a word that begins with the last of its sound ends with it",
    [[0, 1000]],
    [
      [0, 900],
      [985, 2000],
    ],
    [
      [0, 900],
      [985, 1025],
    ],
  ],
  [
    "a word that ends behind the beginning of the next one ends with its own sound",
    [
      [0, 1000],
      [2000, 3000],
    ],
    [
      [900, 2300],
      [2000, 2900],
    ],
    [
      [900, 1000],
      [2000, 2900],
    ],
  ],
  [
    "words in sound stay",
    [[0, 3000]],
    [
      [100, 700],
      [700, 1300],
    ],
    [
      [100, 700],
      [700, 1300],
    ],
  ],
  [
    "a word with no sound near stays",
    [[0, 200]],
    [
      [0, 200],
      [2000, 2200],
    ],
    [
      [0, 200],
      [2000, 2200],
    ],
  ],
  [
    "a word in the pause behind its sentence shares the sound with the word before",
    [
      [0, 1000],
      [2000, 3000],
    ],
    [
      [0, 900],
      [1300, 1800],
      [2000, 2900],
    ],
    [
      [0, 500],
      [500, 1000],
      [2000, 2900],
    ],
  ],
])("%s", (_, loud, given, wanted) => {
  const words = given.map(([start, end], n): SpokenWord => [start, end, `w${n}`, true]);
  const snapped = snapWords(words, soundIn(3500, ...loud));
  expect(snapped.map(([start, end]) => [start, end])).toEqual(wanted);
});

test("words stay in order, and none has no duration", () => {
  const words = [0, 0, 1990, 1995].map((start, n): SpokenWord => [start, start, `w${n}`, true]);
  const snapped = snapWords(words, soundIn(3000, [500, 1000], [2000, 2600]));
  for (const [n, [start, end]] of snapped.entries()) {
    expect(end).toBeGreaterThan(start);
    expect(start).toBeGreaterThanOrEqual(snapped[n - 1]?.[0] ?? 0);
  }
});

const sentence = (...times: [number, number, string][]) =>
  times.map(([start, end, text]): SpokenWord => [start, end, text, true]);

test("a sentence whose times have drifted begins behind the pause, and shares out its sound", () => {
  const isLoud = soundIn(5000, [0, 1000], [2000, 4000]);
  const first = sentence([0, 900, "One,"], [900, 1900, "two."]);
  const second = sentence([3500, 3600, "Three"], [3600, 3600, "fours"], [3600, 3600, "here."]);
  const anchored = anchorSentences([...first, ...second], isLoud);
  expect(anchored.slice(2).map(([start, end]) => [start, end])).toEqual([
    [2000, 2667],
    [2667, 3333],
    [3333, 4000],
  ]);
  expect(anchored.slice(0, 2)).toEqual(first);
});

test("sentences without a pause between them stay", () => {
  const words = sentence([0, 500, "One."], [500, 1000, "Two."], [1000, 1500, "Three."]);
  expect(anchorSentences(words, soundIn(2000, [0, 1500]))).toEqual(words);
});

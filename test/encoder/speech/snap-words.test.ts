/** Words are moved out of the silence that a model gives them. */
import { expect, test } from "vitest";
import type { SpokenWord } from "../../../protocol/speech.ts";
import { snapWords } from "../../../encoder/speech/snap-words.ts";

const RATE_HZ = 16_000;

/** Sound in the given stretches, in ms. */
function soundIn(lengthMs: number, ...loud: [number, number][]): Float32Array {
  return Float32Array.from({ length: (lengthMs / 1000) * RATE_HZ }, (_, n) => {
    const ms = (n / RATE_HZ) * 1000;
    return loud.some(([from, to]) => ms >= from && ms < to) ? 0.3 * Math.sin(n / 3) : 0.0005 * Math.sin(n);
  });
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
      [1000, 1200],
    ],
    [
      [0, 200],
      [1000, 1200],
    ],
  ],
])("%s", (_, loud, given, wanted) => {
  const words = given.map(([start, end], n): SpokenWord => [start, end, `w${n}`, true]);
  const snapped = snapWords(words, soundIn(3500, ...loud), RATE_HZ);
  expect(snapped.map(([start, end]) => [start, end])).toEqual(wanted);
});

test("words stay in order, and none has no duration", () => {
  const words = [0, 0, 1990, 1995].map((start, n): SpokenWord => [start, start, `w${n}`, true]);
  const snapped = snapWords(words, soundIn(3000, [500, 1000], [2000, 2600]), RATE_HZ);
  for (const [n, [start, end]] of snapped.entries()) {
    expect(end).toBeGreaterThan(start);
    expect(start).toBeGreaterThanOrEqual(snapped[n - 1]?.[0] ?? 0);
  }
});

import { expect, test } from "vitest";
import {
  findLoop,
  isRepetitive,
  placeWords,
  withoutLoops,
  withoutMarkers,
} from "../../../../src/ai/captions/heard-words.ts";
import { textOf, type Word } from "../../../../src/ai/captions/word.ts";

const said = (text: string): Word[] =>
  text.split(" ").map((word, n) => ({ text: word, hasSpace: true, startMs: n * 300, endMs: n * 300 + 250 }));

test.each([
  ["[BLANK_AUDIO]", ""],
  ["[ Silence ] Hello there.", "Hello there."],
  ["Well, (soft music playing) I think ♪ so.", "Well, I think so."],
  ["He said (and I quote the whole long sentence here) no.", "He said (and I quote the whole long sentence here) no."],
  ["Array[0] is first", "Array is first"],
  ["Bonjour ! Comment ça va ?", "Bonjour ! Comment ça va ?"],
  ["Il dit « oui » .", "Il dit « oui » ."],
  ["Tom & Jerry : 50 % off", "Tom & Jerry : 50 % off"],
  ["... so", "so"],
])("of %j, %j is spoken", (text, spoken) => {
  expect(textOf(withoutMarkers(said(text)))).toBe(spoken);
});

test.each([
  ["oh yeah oh yeah oh yeah oh yeah oh yeah and so on", { start: 0, length: 2, count: 5 }],
  ["he said no, No. no no no", { start: 2, length: 1, count: 5 }],
  ["very very very very good", null],
  ["I am. I was. I am. I was. I am. I was. I am. I was.", null],
])("in %j a loop is %j", (text, loop) => {
  expect(findLoop(said(text))).toEqual(loop);
});

test("of a loop, its first phrase stays, and what follows it", () => {
  const words = said(`So ${"thank you ".repeat(9)}for watching ${"bye ".repeat(6)}now`);
  expect(textOf(withoutLoops(words))).toBe("So thank you for watching bye now");
});

test("speech is not repetitive, and a text that goes in circles is", () => {
  const speech =
    "And so, my fellow Americans, ask not what your country can do for you, ask what you can do for your country. My fellow citizens of the world, ask not what America will do for you, but what together we can do for the freedom of man.";
  expect(isRepetitive(said(speech))).toBe(false);
  expect(isRepetitive(said("it is a thing of the thing that is the thing of a thing, ".repeat(6)))).toBe(true);
});

const SPANS = [
  { atMs: 0, mediaMs: 2000, durationMs: 3000 },
  { atMs: 3000, mediaMs: 60_000, durationMs: 2000 },
];
const word = (startMs: number, endMs: number, text = "x"): Word => ({ text, hasSpace: true, startMs, endMs });
const times = (words: Word[]) => words.map(({ startMs, endMs }) => [startMs, endMs]);

test("words are where their sound is in the media, on both sides of a silence that was cut away", () => {
  const words = placeWords([word(0, 400), word(2500, 3400), word(3000, 3500), word(4900, 5300)], SPANS);
  expect(times(words)).toEqual([
    [2000, 2400],
    [4500, 5000],
    [60_000, 60_500],
    [61_900, 62_000],
  ]);
});

test("times that cannot be are mended: order, overlap, a negative start, an end before the start, no number", () => {
  const words = placeWords(
    [word(500, 200, "c"), word(100, 900, "b"), word(-50, 300, "a"), word(Number.NaN, 5), word(900, Infinity)],
    SPANS,
  );
  expect(words.map(({ text }) => text)).toEqual(["a", "b", "c"]);
  expect(times(words)).toEqual([
    [2000, 2350],
    [2350, 3150],
    [3150, 3150],
  ]);
});

test("a word whose end cannot be does not push the next ones away", () => {
  const words = [word(0, 1e9), word(500, 1e9), word(900, 1e9)];
  expect(times(placeWords(words, [SPANS[0]!]))).toEqual([
    [2000, 2500],
    [2500, 2900],
    [2900, 5000],
  ]);
});

test("a word behind the end of the sound is dropped, and one of ten minutes is cut", () => {
  expect(times(placeWords([word(100, 600_000), word(5500, 6000)], [SPANS[0]!]))).toEqual([[2100, 5000]]);
});

/** Answers in the shapes of real servers, by their documentation and sources. */
import { describe, expect, test } from "vitest";
import { textOf } from "../../../../src/ai/captions/word.ts";
import { readTranscription } from "../../../../src/ai/providers/read-transcription.ts";

const read = (body: unknown) => {
  const transcription = readTranscription(body, 10_000);
  return (
    transcription && {
      ...transcription,
      text: textOf(transcription.words),
      times: transcription.words.map(({ startMs, endMs }) => [Math.round(startMs), Math.round(endMs)]),
    }
  );
};

test("words without punctuation get it from the text, as OpenAI lists them", () => {
  const read1 = read({
    task: "transcribe",
    language: "english",
    duration: 3.2,
    text: "And so, my fellow Americans: ask not.",
    words: ["And", "so", "my", "fellow", "Americans", "ask", "not"].map((word, n) => ({
      word,
      start: n * 0.4,
      end: n * 0.4 + 0.3,
    })),
  });
  expect(read1).toMatchObject({
    text: "And so, my fellow Americans: ask not.",
    languageCode: "en",
    hasWordTimes: true,
  });
  expect(read1!.times[2]).toEqual([800, 1100]);
});

test("tokens inside of segments become words, as whisper.cpp lists them", () => {
  const words = [" And", " so", " my", " fell", "ow", " Amer", "icans", ",", "[_TT_150]"].map((word, n) => ({
    word,
    start: n * 0.2,
    end: n * 0.2 + 0.2,
    probability: 0.9,
  }));
  const answer = read({
    text: " And so my fellow Americans,",
    language: "en",
    segments: [{ id: 0, text: " And so my fellow Americans,", start: 0, end: 2, words }],
  });
  expect(answer).toMatchObject({ text: "And so my fellow Americans,", languageCode: "en" });
  expect(answer!.times.slice(3)).toEqual([
    [600, 1000],
    [1000, 1600],
  ]);
});

test("words that are null, and a duration as a string, leave the segments, as vLLM answers", () => {
  const segments = [{ id: 0, start: "0.0", end: "2.0", text: " Two words", tokens: [1, 2] }];
  expect(read({ text: " Two words", language: "de", duration: "2.0", words: null, segments })).toMatchObject({
    text: "Two words",
    languageCode: "de",
    hasWordTimes: false,
    times: [
      [0, 750],
      [750, 2000],
    ],
  });
});

test("a text alone is spread over the piece, for models without times", () => {
  expect(read({ text: "ab cd" })).toMatchObject({
    languageCode: null,
    times: [
      [0, 5000],
      [5000, 10_000],
    ],
  });
});

test("Chinese is spread by its characters, which have no spaces between them", () => {
  const answer = read({ text: "你好，世界。", language: "chinese" });
  expect(answer!.words.map(({ text }) => text)).toEqual(["你", "好，", "世", "界。"]);
  expect(answer).toMatchObject({ text: "你好，世界。", languageCode: "zh" });
});

describe("what is no transcription is refused", () => {
  test.each([
    ["prose", "Sure! Here is the transcription: hello"],
    ["a list", []],
    ["an error", { error: { message: "overloaded" } }],
    ["nothing", null],
    ["segments of another kind", { segments: "none" }],
    ["a text of another kind", { text: { value: "hello" } }],
  ])("%s", (_name, body) => {
    expect(readTranscription(body, 1000)).toBeNull();
  });
});

const list = (words: string[], at: (n: number) => { start?: unknown; end?: unknown }) =>
  words.map((word, n) => ({ word, ...at(n) }));
const FOUR = ["One", "two", "three", "four."];
const segments = [{ text: " One two three four.", start: 1, end: 3 }];

describe("what was heard is kept, whatever its times are", () => {
  test.each<[string, unknown, boolean, [number, number]]>([
    [
      "a word without times",
      {
        text: "One two three four.",
        words: list(FOUR, (n) => (n === 1 ? { start: null, end: null } : { start: n, end: n + 1 })),
      },
      false,
      [0, 10_000],
    ],
    [
      "one of twenty words without times",
      {
        text: "a ".repeat(20),
        words: list(
          Array.from({ length: 20 }, () => "a"),
          (n) => (n === 7 ? {} : { start: n / 4, end: n / 4 + 0.2 }),
        ),
      },
      true,
      [0, 4950],
    ],
    [
      "times in milliseconds",
      { text: "One two three four.", words: list(FOUR, (n) => ({ start: 200 * n, end: 200 * n + 100 })) },
      false,
      [0, 10_000],
    ],
    [
      "words without times, and segments with them",
      { text: "One two three four.", words: list(FOUR, () => ({ start: null, end: null })), segments },
      false,
      [1000, 3000],
    ],
    [
      "words that are empty",
      { text: "One two three four.", words: [{ word: "", start: 0, end: 0 }], segments },
      false,
      [1000, 3000],
    ],
    [
      "words for a part of the text",
      { text: "One two three four.", words: [{ word: "One", start: 0, end: 1 }], segments },
      false,
      [1000, 3000],
    ],
    [
      "segments for a part of the text",
      { text: "One two three four. Five six seven eight.", segments },
      false,
      [0, 10_000],
    ],
    [
      "segments without times",
      { text: "One two three four.", segments: [{ text: "One two three four." }] },
      false,
      [0, 10_000],
    ],
    [
      "times that are words",
      { text: "One two", words: [{ word: "One", start: "soon", end: "later" }] },
      false,
      [0, 10_000],
    ],
    [
      "entries of another kind",
      { text: "One two three four.", words: [1, null, "x"], segments: ["y", ...segments] },
      false,
      [1000, 3000],
    ],
    [
      "the same start for all words",
      { text: "One two three four.", words: list(FOUR, () => ({ start: 0, end: 4 })) },
      false,
      [0, 10_000],
    ],
  ])("%s", (_name, body, hasWordTimes, [first, last]) => {
    const answer = read(body)!;
    expect(answer.hasWordTimes).toBe(hasWordTimes);
    expect(answer.text.replaceAll(/\s+/g, " ")).toBe((body as { text: string }).text.trim());
    expect([answer.times[0]![0], answer.times.at(-1)![1]]).toEqual([first, last]);
  });
});

test("punctuation that stands by itself stays with its word, as French has it", () => {
  const words = list(["Bonjour", "Comment", "ça", "va"], (n) => ({ start: n, end: n + 0.5 }));
  expect(read({ text: "Bonjour ! Comment ça va ?", words })).toMatchObject({
    text: "Bonjour ! Comment ça va ?",
    hasWordTimes: true,
  });
});

test("an empty answer has no words", () => {
  expect(read({ text: "", segments: [], words: [] })).toMatchObject({ words: [] });
});

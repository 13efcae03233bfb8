/** The built-in engine on talks of known subjects. `npm run ai:figures` prints the same figures for the docs. */
import { describe, expect, test } from "vitest";
import { BUILT_IN, type Sentence } from "../../../../src/ai/text/index.ts";
import { countWords } from "../../../../src/ai/text/plain-text.ts";
import { talks } from "../../../support/talks.ts";

const BORDER_MS = 15_000;

describe("chapters", () => {
  test("begin where the subject changes, in eight of ten talks", () => {
    const right = talks().filter(({ sentences, startsMs, durationMs }) => {
      const { chapters } = BUILT_IN.chapters(sentences, {}, durationMs);
      const found = chapters.map(({ startMs }) => startMs);
      const isNear = (ms: number, all: number[]) => all.some((one) => Math.abs(one - ms) <= BORDER_MS);
      return startsMs.every((ms) => isNear(ms, found)) && found.every((ms) => isNear(ms, startsMs));
    });
    expect(right.length).toBeGreaterThanOrEqual(8);
  });

  test("begin at 0, follow each other, have at least ten seconds, a short title and a summary of the chapter", () => {
    for (const { sentences, durationMs } of talks()) {
      const { chapters } = BUILT_IN.chapters(sentences, {}, durationMs);
      expect(chapters[0]!.startMs).toBe(0);
      expect(chapters.at(-1)!.endMs).toBe(durationMs);
      for (const [n, { startMs, endMs, title, summary }] of chapters.entries()) {
        expect(endMs).toBe(chapters[n + 1]?.startMs ?? durationMs);
        expect(endMs - startMs).toBeGreaterThanOrEqual(10_000);
        expect(title.length).toBeGreaterThan(0);
        expect(title.length).toBeLessThanOrEqual(60);
        expect(summary).not.toBe("");
      }
    }
  });

  test("of half a million words are found in seconds", () => {
    const [talk] = talks();
    const long: Sentence[] = Array.from({ length: 50_000 }, (_, n) => {
      const { text } = talk!.sentences[n % talk!.sentences.length]!;
      return { text, startMs: n * 800, endMs: n * 800 + 700 };
    });
    const { chapters } = BUILT_IN.chapters(long, {}, 40_000_000);
    expect(chapters.length).toBeLessThanOrEqual(100);
  });
});

describe("a summary", () => {
  test("has sentences of the talk, from each subject, and about as many words as asked", () => {
    for (const { sentences, subjects } of talks()) {
      const { summary } = BUILT_IN.summary(sentences, { summaryWords: 100 }, 0);
      expect(countWords(summary)).toBeLessThanOrEqual(100);
      expect(countWords(summary)).toBeGreaterThan(60);
      const own = sentences.filter(({ text }) => summary.includes(text));
      const of = new Set(own.map((sentence) => Math.floor(sentences.indexOf(sentence) / 10)));
      expect(of.size).toBeGreaterThanOrEqual(subjects.length - 2);
    }
  });

  test.each([
    ["nothing", "", ""],
    ["one word", "Hello.", "Hello."],
    ["Chinese", "你好，世界。", "你好，世界。"],
  ])("of %s is it", (_, text, wanted) => {
    const sentences = text === "" ? [] : [{ text, startMs: 0, endMs: 1000 }];
    expect(BUILT_IN.summary(sentences, {}, 0)).toEqual({ summary: wanted });
  });
});

test("names of people, organizations and places are found and counted with their spellings", async () => {
  const text =
    "Ada Lovelace wrote to Charles Babbage in London. Babbage showed his engine to Lovelace. The machine was built in London by the Royal Society. Microsoft bought a copy. Paris did not. Ada's notes are in Oxford.";
  const sentences = text.split(/(?<=\.) /).map((one, n) => ({ text: one, startMs: n * 2000, endMs: n * 2000 + 1900 }));
  const { namedEntities } = await BUILT_IN.namedEntities(sentences, {}, 0);
  const found = Object.fromEntries(namedEntities.map(({ name, category, count }) => [name, [category, count]]));
  expect(found).toMatchObject({
    "Ada Lovelace": ["person", 3],
    "Charles Babbage": ["person", 2],
    London: ["location", 2],
    Microsoft: ["organization", 1],
    Paris: ["location", 1],
  });
  expect(namedEntities.find(({ name }) => name === "London")!.timesMs).toEqual([0, 4000]);
});

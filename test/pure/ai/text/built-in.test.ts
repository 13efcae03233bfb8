/** The built-in engine on talks of known subjects. `npm run bench -- texts` prints the same figures for the docs. */
import { describe, expect, test } from "vitest";
import { BUILT_IN, type Sentence } from "../../../../src/ai/text/index.ts";
import { countWords } from "../../../../src/ai/text/plain-text.ts";
import { talkOf, talks } from "../../../support/talks.ts";

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

  test("begin where the picture changes, when the words are as good on both sides", () => {
    const talk = talkOf(["bees", "bridges"]);
    // What might belong to either: two sentences between the subjects.
    const between = ["Well, there it is again.", "And so it goes on from here."];
    const texts = talk.sentences.map(({ text }) => text);
    const sentences = [...texts.slice(0, 10), ...between, ...texts.slice(10)].map((text, n) => ({
      text,
      startMs: n * 3000,
      endMs: n * 3000 + 3000,
    }));
    const startWith = (cutsMs: number[]) => BUILT_IN.chapters(sentences, {}, 66_000, cutsMs).chapters[1]!.startMs;
    expect([startWith([30_500]), startWith([35_500]), startWith([10_000, 33_200, 60_000])]).toEqual([
      30_000, 36_000, 33_000,
    ]);
  });

  test("a chapter without a word of its own is named by its first sentence", () => {
    const sentences = [{ text: "You and me, it is so.", startMs: 0, endMs: 20_000 }];
    expect(BUILT_IN.chapters(sentences, {}, 20_000).chapters[0]!.title).toBe("You and me, it is so.");
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

  test("in a script without spaces has about as many words as asked", () => {
    const topics = ["蜜蜂在蜂巢里酿造蜂蜜", "桥梁由钢缆悬挂在塔上", "面包师在清晨揉面团", "天文学家观察遥远的恒星"];
    for (const count of [50, 99, 300]) {
      const sentences = Array.from({ length: count }, (_, n) => ({
        text: `${topics[n % 4]!}，第${n}次记录的内容也很重要。`,
        startMs: n * 3000,
        endMs: n * 3000 + 2900,
      }));
      const { summary } = BUILT_IN.summary(sentences, { summaryWords: 100 }, 0);
      expect(countWords(summary)).toBeLessThanOrEqual(100);
      expect(countWords(summary)).toBeGreaterThan(60);
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

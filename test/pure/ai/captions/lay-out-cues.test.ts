import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { layOutCues } from "../../../../src/ai/captions/lay-out-cues.ts";
import { plainText } from "../../../../src/media/captions/markup.ts";
import { parseWebVtt } from "../../../../src/media/captions/webvtt.ts";
import { writeVtt } from "../../../../src/media/captions/write.ts";
import { graphemes, type Word } from "../../../../src/ai/captions/word.ts";

/** Words that take 300 ms each; "|" is a pause of two seconds. */
function said(text: string, wordMs = 300, hasSpace = true): Word[] {
  let atMs = 1000;
  return text.split(" ").flatMap((part) => {
    if (part === "|") {
      atMs += 2000;
      return [];
    }
    const word = { text: part, hasSpace, startMs: atMs, endMs: atMs + wordMs };
    atMs += wordMs;
    return [word];
  });
}
const texts = (words: Word[], durationMs = 3_600_000) => layOutCues(words, durationMs).map(({ text }) => text);

test("breaks are at the ends of sentences, and lines at those of clauses", () => {
  const words = said(
    "My fellow Americans, ask not what your country can do for you, ask what you can do for your country. That is all.",
  );
  expect(texts(words)).toEqual([
    "My fellow Americans,\nask not what your country can do for you,",
    "ask what you can do for your country.\nThat is all.",
  ]);
});

test("what is said is text, whatever WebVTT makes of it", () => {
  const cues = layOutCues(said("x <b> & 00:00:01.000 --> 00:09:00.000"), 10_000);
  expect(
    parseWebVtt(writeVtt(cues))
      .sorted()
      .map(({ text }) => plainText(text)),
  ).toEqual(["x <b> & 00:00:01.000 --> 00:09:00.000"]);
});

test("a pause ends a cue", () => {
  expect(texts(said("and then he | went away"))).toEqual(["and then he", "went away"]);
});

test("a cue is shown for 0.8 s, and longer where nothing follows", () => {
  const [cue] = layOutCues(said("Yes."), 10_000);
  expect(cue).toMatchObject({ startMs: 1000, endMs: 1800, text: "Yes." });
  const [long] = layOutCues(said("This takes two seconds to say here."), 10_000);
  expect(long).toMatchObject({ startMs: 1000, endMs: 1000 + 7 * 300 + 300 });
});

test("the last cue ends with the media, and begins earlier if there is not enough time", () => {
  expect(layOutCues(said("Good night."), 1400)).toEqual([
    { startMs: 600, endMs: 1400, settings: "", text: "Good night." },
  ]);
});

test("Chinese has lines of sixteen characters and no spaces", () => {
  const words = Array.from("今天天气很好，我们一起去公园散步，然后回家吃饭。").map((text, n) => ({
    text,
    hasSpace: false,
    startMs: n * 220,
    endMs: n * 220 + 220,
  }));
  const cues = layOutCues(words, 60_000);
  expect(cues.map(({ text }) => text)).toEqual(["今天天气很好，我们一起去\n公园散步，然后回家吃饭。"]);
});

test("a word that is longer than a line is cut between graphemes", () => {
  const family = "👩‍👩‍👧‍👦";
  const [cue] = layOutCues([{ text: family.repeat(60), hasSpace: true, startMs: 0, endMs: 6000 }], 60_000);
  expect(cue!.text).toBe(`${family.repeat(42)}\n${family.repeat(18)}`);
});

test("somebody who speaks faster than people read is shown a little later, and nothing is left out", () => {
  const fast = said(Array.from({ length: 60 }, (_, n) => `considerably${n % 6 === 5 ? "." : ""}`).join(" "), 250);
  const cues = layOutCues(fast, 60_000);
  expect(cues.flatMap(({ text }) => text.split(/\s/))).toHaveLength(60);
  for (const { startMs, text } of cues) {
    expect(text.length).toBeLessThanOrEqual(85);
    expect(startMs).toBeLessThan(1000 + 60 * 250 + 1500);
  }
});

test("twelve hours are laid out in a moment", () => {
  const words = Array.from({ length: 100_000 }, (_, n): Word => ({
    text: n % 12 === 11 ? "sentence." : "word",
    hasSpace: true,
    startMs: n * 430,
    endMs: n * 430 + 400,
  }));
  const cues = layOutCues(words, 43_200_000);
  expect(cues.length).toBeGreaterThan(6000);
});

describe("whatever is said", () => {
  const word = fc.record({
    text: fc.oneof(
      fc.stringMatching(/^[a-z]{1,14}[.,!?]?$/),
      fc.stringMatching(/^[äöüßéèñçøåæ]{1,9}$/),
      fc.constantFrom("e\u0301".repeat(5), "https://example.com/" + "a".repeat(60), "हिन्दी", "שלום"),
    ),
    durationMs: fc.integer({ min: 120, max: 900 }),
    pauseMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 3000 })),
  });

  test("cues keep every word in order, fit into two lines of 42, do not overlap, and end with the media", () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 80 }), (said) => {
        let atMs = 0;
        const words = said.map(({ text, durationMs, pauseMs }): Word => {
          const startMs = atMs + pauseMs;
          atMs = startMs + durationMs;
          return { text, hasSpace: true, startMs, endMs: atMs };
        });
        const cues = layOutCues(words, atMs);
        const plain = (text: string) => text.replaceAll(/\s/g, "");
        expect(plain(cues.map(({ text }) => text).join(""))).toBe(plain(words.map(({ text }) => text).join("")));
        for (const [n, { startMs, endMs, text }] of cues.entries()) {
          expect(text.split("\n").length).toBeLessThanOrEqual(2);
          for (const line of text.split("\n")) expect(graphemes(line)).toBeLessThanOrEqual(42);
          expect(endMs).toBeGreaterThan(startMs);
          expect(endMs).toBeLessThanOrEqual(atMs);
          expect(startMs).toBeGreaterThanOrEqual(cues[n - 1]?.endMs ?? 0);
        }
      }),
      { numRuns: 300 },
    );
  });
});

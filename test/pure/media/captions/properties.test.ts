import * as fc from "fast-check";
import { expect, test } from "vitest";
import { CaptionsError, type Cue } from "../../../../src/media/captions/cue.ts";
import { cleanMarkup } from "../../../../src/media/captions/markup.ts";
import { readCaptions } from "../../../../src/media/captions/read-captions.ts";
import { cutSegments, segmentHeader, TEXT_SEGMENT_MS } from "../../../../src/media/captions/segments.ts";
import { writeSrt, writeVtt } from "../../../../src/media/captions/write.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const readAgain = (text: string) => readCaptions(bytesOf(text), "en").cues;

const words = fc
  .array(fc.constantFrom("a", "<", ">", "&", "&lt;", "é", "<i>", "</b>", "\u200f", " ", "\n", "-->"), {
    minLength: 1,
    maxLength: 12,
  })
  .map((parts) => cleanMarkup(`x${parts.join("")}`));
const cues = fc
  .array(fc.tuple(fc.nat({ max: 60_000 }), fc.integer({ min: 1, max: 20_000 }), words), { minLength: 1, maxLength: 30 })
  .map((list) =>
    list
      .map(([startMs, lastsMs, text]): Cue => ({ startMs, endMs: startMs + lastsMs, settings: "", text }))
      .toSorted((a, b) => a.startMs - b.startMs || a.endMs - b.endMs),
  );

const TAG =
  /^<(?:\/?(?:b|i|u|c|v|lang|ruby|rt)|(?:b|i|u|c|ruby|rt)(?:\.[\w-]+)+|(?:v|lang)(?:\.[\w-]+)* [^<>]+|[\d:.]+)>$/;

test("cleaned markup has known tags only, each closed, and no character that a player could take for markup", () => {
  const payload = fc.oneof(
    fc.string({ unit: "binary", maxLength: 200 }),
    fc
      .array(fc.constantFrom(...'< > & / b i v script onclick= " . c 00:01.000 lang \n font color=red'.split(" ")))
      .map((all) => all.join("")),
  );
  fc.assert(
    fc.property(payload, (given) => {
      const text = cleanMarkup(given);
      const tags = text.match(/<[^>]*>/g) ?? [];
      const closing = tags.filter((tag) => tag.startsWith("</"));
      const opening = tags.filter((tag) => !tag.startsWith("</") && !/^<\d/.test(tag));
      expect(tags.filter((tag) => !TAG.test(tag))).toEqual([]);
      expect(closing.length).toBe(opening.length);
      expect(/[<>\0]|&(?!amp;|lt;|gt;)/.test(text.replace(/<[^>]*>/g, ""))).toBe(false);
      expect(/\n\n|^\n|\n$/.test(text)).toBe(false);
      expect(cleanMarkup(text)).toBe(text);
    }),
    { numRuns: 200 },
  );
});

test("what is written as WebVTT is read again as the same cues", () => {
  fc.assert(
    fc.property(cues, (list) => {
      expect(readAgain(writeVtt(list))).toEqual(list);
    }),
    { numRuns: 150 },
  );
});

test("what is written as SRT has the same times when it is read again", () => {
  const times = (list: Cue[]) => list.map(({ startMs, endMs }) => [startMs, endMs]);
  fc.assert(
    fc.property(cues, (list) => {
      expect(times(readAgain(writeSrt(list)))).toEqual(times(list));
    }),
    { numRuns: 150 },
  );
});

test("SRT has no tag but b, i and u, whatever the text of a cue is", () => {
  const cue = fc
    .array(
      fc.constantFrom(
        ..."< > &lt; &gt; &amp;lt; &#60; <b> </b> <b.loud> <c.x> </c> img script / ! 0 onerror=x".split(" "),
      ),
      { maxLength: 12 },
    )
    .map((parts): Cue => ({ startMs: 0, endMs: 1000, settings: "", text: cleanMarkup(`x${parts.join("")}`) }));
  fc.assert(
    fc.property(cue, (one) => {
      const text = writeSrt([one]);
      const withoutTags = text.replace(/<\/?[biu]>/g, "");
      expect(withoutTags).not.toMatch(/<[a-z/!?]/i);
      expect((text.match(/<[biu]>/g) ?? []).length).toBe((text.match(/<\/[biu]>/g) ?? []).length);
    }),
    { numRuns: 300 },
  );
});

test("escaped markup and times stay text in SRT; a comparison stays as it is", () => {
  const srtOf = (text: string) =>
    writeSrt([{ startMs: 0, endMs: 1000, settings: "", text }])
      .split("\n")
      .slice(2)
      .join("\n");
  expect(srtOf("&lt;img src=x onerror=alert(1)&gt; &lt;b&gt;")).toBe("‹img src=x onerror=alert(1)> ‹b>\n\n");
  expect(srtOf("<b.loud>a</b> &lt; b &amp; I &lt;3 <c.red>you</c>")).toBe("<b>a</b> < b & I <3 you\n\n");
  expect(
    readAgain(writeSrt([{ startMs: 0, endMs: 1000, settings: "", text: "x\n00:01.000 --&gt; 00:02.000\ny" }])).length,
  ).toBe(1);
});

test("each segment has exactly the cues that overlap it, with their own times", () => {
  fc.assert(
    fc.property(cues, (list) => {
      const { bodies, lengths } = cutSegments(list);
      let at = 0;
      for (const [segment, length] of lengths.entries()) {
        const text = segmentHeader() + new TextDecoder().decode(bodies.subarray(at, (at += length)));
        const [from, to] = [segment * TEXT_SEGMENT_MS, (segment + 1) * TEXT_SEGMENT_MS];
        const expected = list.filter(({ startMs, endMs }) => startMs < to && endMs > from);
        expect(length === 0 ? [] : readAgain(text)).toEqual(expected);
      }
      expect(at).toBe(bodies.length);
    }),
    { numRuns: 100 },
  );
});

test("any bytes give captions within the bounds, or an error of the catalogue", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 400 }),
      fc.constantFrom("en", "ru", "ja", "zh-TW", ""),
      (bytes, language) => {
        try {
          const { cues: list } = readCaptions(bytes, language);
          for (const { startMs, endMs } of list) expect(startMs >= 0 && endMs > startMs).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(CaptionsError);
        }
      },
    ),
  );
});

/** Words of many scripts, by SQLite's tokenizer in workerd. */
import * as fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { findHits } from "../../../../src/ai/search/find-hits.ts";
import { matchQuery } from "../../../../src/ai/search/match-query.ts";
import { newWorkspace, type TestWorkspace } from "../../workspace.ts";
import { indexed, newMedia, newTrack, snippets, withIndex } from "./search-helpers.ts";

const TEXTS = [
  "Der Bürgermeister trank Café crème",
  "well-known facts don't change",
  "東京都の天気は晴れです",
  "我们明天去北京",
  "서울에서 만나요",
  "ภาษาไทยเขียนติดกัน",
  "हिन्दी में समाचार",
  "السَّلَامُ عَلَيْكُم",
  "שָׁלוֹם עולם",
  "Привет, мир",
  "Ελλάδα και θάλασσα",
  "Việt Nam đẹp",
  "ＦＵＬＬ ｗｉｄｔｈ ｶﾞ",
  "🎉 party 👩‍👩‍👧 time",
  "می‌خواهم بروم",
  "version 3.14 of 2026",
];

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
  await newTrack(await newMedia(workspace), TEXTS);
  await indexed(workspace);
});

test.each([
  ["burgermeister", 0],
  ["CAFÉ", 0],
  ["Cafe\u0301 cre\u0300me", 0],
  ["creme cafe", 0],
  ["bürg", 0],
  ["well known", 1],
  ["well-known", 1],
  ["don't", 1],
  ["東京", 2],
  ["京都", 2],
  ["天気", 2],
  ["晴", 2],
  ["天気 東京", 2],
  ["北京", 3],
  ["서울", 4],
  ["만나", 4],
  ["ไทย", 5],
  ["เขียน", 5],
  ["हिन्दी", 6],
  ["समाच", 6],
  ["السلام", 7],
  ["السَّلَامُ", 7],
  ["שלום", 8],
  ["привет МИР", 9],
  ["ελλαδα", 10],
  ["θάλασσα", 10],
  ["viet nam", 11],
  ["đẹp", 11],
  ["full width", 12],
  ["ガ", 12],
  ["party 🎉", 13],
  ["میخواهم", 14],
  ["می‌خواهم", 14],
  ["3.14", 15],
  ["202", 15],
])("%s is found", async (q, position) => {
  expect(await snippets(workspace, q)).toEqual([TEXTS[position]]);
});

test.each(["京東", "北東", "meister", "crèm caf", "हन", "م", "3.1.4"])("%s is not found", async (q) => {
  expect(await snippets(workspace, q)).toEqual([]);
});

test("any text is found by itself, and no question fails", async () => {
  const other = await newWorkspace();
  const unit = fc.oneof(
    fc.constantFrom(..."\"*-+^:(){}'~\\%_ \t\n\u0000\u00ad\u200b\u202e東京ไทกำかガーé́सि한ß".split("")),
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
    fc.constantFrom("AND", "OR", "NOT", "NEAR(", "words", "text:"),
  );
  const text = fc.array(unit, { maxLength: 40 }).map((parts) => parts.join(""));
  await withIndex(other, ({ index }) => {
    let n = 0;
    fc.assert(
      fc.property(text, (given) => {
        const match = matchQuery(given);
        if (match === null) return;
        const mediaId = `media ${(n += 1)}`;
        index.putTitle({ mediaId, mediaCreatedMs: n }, given);
        const [found] = findHits(index.run, { match, after: null, limit: 1 }).hits;
        // Letters that are younger than the tokenizer's tables are no words for it.
        const isKnown = /[a-z\d東京ไท]/iu.test(given.normalize("NFKC"));
        expect(isKnown ? found?.key[1] : mediaId).toBe(mediaId);
      }),
      { numRuns: 500 },
    );
  });
});

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { matchQuery } from "../../../../src/ai/search/match-query.ts";

test.each([
  ["harbour", '"harbour"*'],
  ["  harbour   at dawn ", '"harbour" "at" "dawn"*'],
  ['the "old" harbour', '"the" "old" "harbour"*'],
  ['har"bour', '"har" "bour"*'],
  ["NEAR(a b, 5)", '"NEAR(a" "b," "5)"'],
  ["harbour* -dawn", '"harbour*" "-dawn"*'],
  ["AND OR NOT", '"AND" "OR" "NOT"*'],
  ["text:x", '"text:x"'],
  ["well-known", '"well-known"*'],
  ["a", '"a"'],
  ["don't", '"don\'t"'],
  ["nul\u0000byte", '"nul" "byte"*'],
  ["half \ud800 pair", '"half" "pair"*'],
  ["東京", '"東  京"'],
  ["東京tower", '"東  京 tower"*'],
  ["서울", '"서  울"'],
  ["ｆｕｌｌ", '"full"*'],
  ["café CRÈME", '"cafe" "CREME"*'],
  ["שָׁלוֹם", '"שלום"*'],
  ["🎉 party 🎉", '"party"*'],
  ["\u202eabc\u202c", '"abc"*'],
  ["soft\u00adhyphen", '"softhyphen"*'],
])("%j becomes %s", (query, match) => {
  expect(matchQuery(query)).toBe(match);
});

test.each(["", " ", "🎉", "***", '"""', "-", "\u0000", "\ud800", "()", "\u200b", "…", "\u0301", "\u3001"])(
  "%j has no word",
  (query) => {
    expect(matchQuery(query)).toBeNull();
  },
);

test("whatever is typed, all of it is in quotes, except the star of the last word", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (query) => {
      // oxlint-disable-next-line no-control-regex -- SQLite ends an expression at NUL
      expect(matchQuery(query) ?? '"none"').toMatch(/^"[^"\u0000]+"(?: "[^"\u0000]+")*\*?$/);
    }),
    { numRuns: 2000 },
  );
});

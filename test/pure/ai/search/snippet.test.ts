import * as fc from "fast-check";
import { expect, test } from "vitest";
import { snippetOf } from "../../../../src/ai/search/snippet.ts";

const filler = (count: number) => Array.from({ length: count }, (_, n) => `word${n}`).join(" ");

test("a caption is one line of plain text, and what looks like markup is text", () => {
  expect(snippetOf(' <b>Hello</b>\n  "world" & co\t', "hello")).toBe('<b>Hello</b> "world" & co');
});

test.each([
  ["at its start", `harbour ${filler(100)}`, /^harbour word0 .*…$/],
  ["in its middle", `${filler(60)} the harbour ${filler(60)}`, /^….*word59 the harbour word0.*…$/],
  ["at its end", `${filler(100)} the harbour`, /^….*the harbour$/],
  ["with other accents and case", `${filler(60)} HÄRBOUR ${filler(60)}`, /^….* HÄRBOUR .*…$/],
  ["nowhere that is recognised", filler(100), /^word0 .*…$/],
])("of a long text, the part around the word %s is shown", (_, text, form) => {
  const snippet = snippetOf(text, "härbour");
  expect(snippet).toMatch(form);
  expect(snippet.length).toBeLessThanOrEqual(202);
});

test("the earliest of several words decides", () => {
  expect(snippetOf(`${filler(50)} dawn ${filler(50)} harbour ${filler(50)}`, "harbour dawn")).toMatch(/ dawn /);
});

test("a text without spaces is cut too, around its characters", () => {
  const snippet = snippetOf(`${"あ".repeat(300)}東京${"い".repeat(300)}`, "東京");
  expect(snippet).toMatch(/^…あ+東京い+…$/);
});

test("a long text of any characters is cut to whole characters", () => {
  const unit = fc.constantFrom("😀", "a", " ", "é", "東", "\n", "<", "\u0301");
  fc.assert(
    fc.property(
      fc.string({ unit, minLength: 150, maxLength: 600 }),
      fc.string({ unit, maxLength: 5 }),
      (text, query) => {
        const snippet = snippetOf(text, query);
        expect(snippet.isWellFormed()).toBe(true);
        expect(snippet.length).toBeLessThanOrEqual(202);
        const inner = snippet.replace(/^…|…$/g, "");
        expect(text.replace(/\s+/g, " ")).toContain(inner);
      },
    ),
  );
});

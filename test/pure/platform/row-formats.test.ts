import { describe, expect, test } from "vitest";
import { EXPORT_FIELDS } from "../../../src/analytics/exports/export-fields.ts";
import { WRITERS } from "../../../src/platform/row-formats.ts";

const fields = ["viewId", "videoTitle", "watchTime", "viewHasError"];
const rows = [
  { viewId: "a", videoTitle: "Harbour, at dawn", watchTime: 1200, viewHasError: false, country: "IT" },
  { viewId: "b", videoTitle: 'The "late" show\nand more', watchTime: -1.5, viewHasError: true },
];
const text = (format: keyof typeof WRITERS, of: Record<string, unknown>[] = rows) => {
  const { begin, row, end } = WRITERS[format];
  return begin(fields) + of.map((one, index) => row(one, fields, index)).join("") + end;
};

test("JSON is one array of the chosen fields, also when it is empty", () => {
  expect(JSON.parse(text("json"))).toEqual([
    { viewId: "a", videoTitle: "Harbour, at dawn", watchTime: 1200, viewHasError: false },
    { viewId: "b", videoTitle: 'The "late" show\nand more', watchTime: -1.5, viewHasError: true },
  ]);
  expect(JSON.parse(text("json", []))).toEqual([]);
});

test("NDJSON has one object per line, and nothing for no views", () => {
  const lines = text("ndjson").split("\n");
  expect(lines.map((line) => line && (JSON.parse(line) as { viewId: string }).viewId)).toEqual(["a", "b", ""]);
  expect(text("ndjson", [])).toBe("");
});

test("CSV follows RFC 4180 behind a byte order mark", () => {
  expect(text("csv")).toBe(
    '\uFEFFviewId,videoTitle,watchTime,viewHasError\r\na,"Harbour, at dawn",1200,false\r\nb,"The ""late"" show\nand more",-1.5,true\r\n',
  );
});

describe("a text that a spreadsheet would take for a formula stays a text", () => {
  test.each([
    ['=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
    ["+1", "'+1"],
    ["-2+3", "'-2+3"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["  =1", "'  =1"],
    ["\t=1", "'\t'=1"],
    ["\r=1", `"'\r'=1"`],
    ["a=1", "a=1"],
    ["＝1+1", "'＝1+1"],
    ["＋1", "'＋1"],
    ["－1", "'－1"],
    ["＠SUM(A1)", "'＠SUM(A1)"],
    ["\u0000=1", "'\u0000=1"],
    ["\u0001\u001f=1", "'\u0001\u001f=1"],
    ["\u200b\ufeff=1", "'\u200b\ufeff=1"],
    ["\u00a0@1", "'\u00a0@1"],
    ["a;=1", `"a;'=1"`],
    ["a; ＝1", `"a;' ＝1"`],
    ["a\t=1", "a\t'=1"],
    ["a\n+1", `"a\n'+1"`],
    ["a\r\n\u0000-1", `"a\r\n'\u0000-1"`],
    ["a; b", `"a; b"`],
    ["2026-05-20 - 21", "2026-05-20 - 21"],
  ])("%j", (title, cell) => {
    expect(text("csv", [{ viewId: "a", videoTitle: title }])).toContain(`\r\na,${cell},,\r\n`);
  });
});

test("the fields are those of a view's record, flat, the important ones first", () => {
  expect(EXPORT_FIELDS.slice(0, 3)).toEqual(["viewId", "viewStart", "viewEnd"]);
  expect(EXPORT_FIELDS).toEqual(expect.arrayContaining(["country", "bufferCount", "custom_10", "errorCode"]));
  expect(EXPORT_FIELDS).not.toEqual(expect.arrayContaining(["events"]));
  expect(new Set(EXPORT_FIELDS).size).toBe(EXPORT_FIELDS.length);
});

/** Lists of videos as files of three formats. */
import { describe, expect, test } from "vitest";
import { decodeText } from "../../../../src/imports/lists/parse/decode-text.ts";
import { type Format, inPieces, readList, refusalOf } from "./read-list.ts";

const URL_1 = "https://cdn.test/1.mp4";
const SAME = {
  id: "1",
  url: URL_1,
  title: 'Größe "XL", 🎬',
  playbackId: "p1",
  createdAt: "2026-05-20T12:50:15.000Z",
  metadata: { Campaign: "spring", size: "3" },
  captions: [
    { url: "https://cdn.test/1.en.vtt", languageCode: "en", name: null },
    { url: "https://cdn.test/1.pt.vtt", languageCode: "pt-BR", name: null },
  ],
  chapters: [{ startMs: 0, title: "Intro" }],
  creatorId: "c",
  tags: ["a", "b"],
  folder: "x/y",
  accessPolicy: "private",
};

const OBJECT = {
  ...SAME,
  metadata: { Campaign: "spring", size: 3 },
  captions: SAME.captions.map(({ url, languageCode }) => ({ url, languageCode })),
};
const FILES: Record<Format, string> = {
  csv: [
    "ID,Video URL,title,playback_id,Created At,metadata.Campaign,metadata.size,captions.en,captions.pt_BR,Chapters,creator,Tags,folder,accessPolicy",
    `1,${URL_1},"Größe ""XL"", 🎬",p1,2026-05-20 12:50:15,spring,3,https://cdn.test/1.en.vtt,https://cdn.test/1.pt.vtt,"[{""startMs"":0,""title"":""Intro""}]",c,"a, b",x/y,Private`,
    "",
  ].join("\r\n"),
  json: JSON.stringify([OBJECT]),
  ndjson: `\n${JSON.stringify(OBJECT)}\r\n\n`,
};

test.each(["csv", "json", "ndjson"] as const)(
  "%s: a row has all of its fields, wherever the file is cut",
  async (format) => {
    for (const pieceBytes of [1, 2, 3, 16, 4096])
      expect(await readList(format, FILES[format], { pieceBytes })).toEqual({ items: [SAME], errors: [], unknown: [] });
  },
);

describe("CSV", () => {
  const first = async (file: string) => (await readList("csv", file)).items[0];

  test("semicolons and tabs are recognised, also when names or cells have commas", async () => {
    expect(await first(`url;"title, long;er"\n${URL_1};a,b`)).toEqual({ id: URL_1, url: URL_1 });
    expect(await first(`url;title\n${URL_1};a,b`)).toEqual({ id: URL_1, url: URL_1, title: "a,b" });
    expect(await first(`url\ttitle\n${URL_1}\ta;b,c`)).toEqual({ id: URL_1, url: URL_1, title: "a;b,c" });
  });

  test("a byte order mark, old line ends, line breaks in quotes and a missing last line end", async () => {
    const read = await readList("csv", `\ufeffurl,title\r${URL_1},"a\nb"\r${URL_1},c`);
    expect(read.items.map(({ title }) => title)).toEqual(["a\nb", "c"]);
  });

  test("other charsets are read when they are named, and refused when not", async () => {
    const latin = Uint8Array.from(`url,title\n${URL_1},Gr\u00f6\u00dfe`, (char) => char.charCodeAt(0));
    expect((await readList("csv", latin, { charset: "windows-1252" })).items[0]).toMatchObject({ title: "Größe" });
    expect(await refusalOf(readList("csv", latin))).toBe("validation_failed: is not text in utf-8");
    const utf16 = new Uint8Array(Buffer.from(`\ufeffurl,title\n${URL_1},Größe`, "utf16le"));
    expect((await readList("csv", utf16, { charset: "utf-16le" })).items[0]).toMatchObject({ title: "Größe" });
    expect(await refusalOf(readList("csv", latin, { charset: "klingon" }))).toContain("charset");
  });

  test("a short row lacks its last cells, a long one is named, and an unknown column is told", async () => {
    const read = await readList(
      "csv",
      `url,title,colour\n${URL_1}\n${URL_1},a,red\n${URL_1},a,red,x\n${URL_1},a,red,\n`,
    );
    expect(read.items.map(({ title }) => title)).toEqual([undefined, "a", "a"]);
    expect(read.errors).toEqual([{ row: 3, message: "has 4 cells, and the first line 3" }]);
    expect(read.unknown).toEqual(["colour"]);
  });

  test("quotes that never end are refused before they fill the memory", async () => {
    const endless = `url,title\n${URL_1},"${"x".repeat(300_000)}`;
    expect(await refusalOf(readList("csv", endless, { pieceBytes: 4096 }))).toContain("256 KiB");
    expect(await refusalOf(readList("csv", `url,title\n${URL_1},"x`))).toContain("is not CSV");
    expect(await refusalOf(readList("csv", "x".repeat(300_000), { pieceBytes: 4096 }))).toContain("256 KiB");
    expect(await refusalOf(readList("csv", ""))).toBe("validation_failed: is empty");
  });
});

test("a file is refused as soon as it is longer than is allowed", async () => {
  const texts = decodeText(inPieces(new TextEncoder().encode("x".repeat(20)), 4), null, 10);
  let length = 0;
  const reading = (async () => {
    for await (const text of texts) length += text.length;
  })();
  expect(await refusalOf(reading)).toContain("body_too_large");
  expect(length).toBe(8);
});

describe("JSON", () => {
  const item = `{"url":"${URL_1}"}`;

  test.each([
    ["an array", `[${item}]`, 1],
    ["items", `{"items":[${item},${item}]}`, 2],
    ["items between other members", `{"a":[1,{"items":[{}]}],"items":[${item}],"b":{"items":[${item}]}}`, 1],
    ["an empty array", "[]", 0],
  ])("%s", async (_, file, count) => {
    expect((await readList("json", file)).items).toHaveLength(count);
  });

  test.each([
    ["a text", `"x"`, "is neither a JSON array nor an object"],
    ["other members only", `{"videos":[${item}]}`, "has no array of videos"],
    ["items that is no array", `{"items":{"a":${item}}}`, "has no array of videos"],
    ["an end in the middle", `[${item},`, "ends in the middle of its JSON"],
    ["an end within a text", `[{"url":"htt`, "is not JSON"],
    ["HTML", "<html></html>", "is not JSON"],
    ["something after the end", `[${item}] x`, "is not JSON"],
    ["a second document", `[${item}] [${item}]`, "is not JSON"],
    ["nothing", "", "has no array of videos"],
    ["depth", `[${"[".repeat(100)}`, "nests deeper than 34 levels"],
    [
      "a name that objects would take for their prototype",
      `[{"url":"${URL_1}","metadata":{"__proto__":"x"}}]`,
      "has a key named __proto__",
    ],
  ])("%s is refused", async (_, file, words) => {
    expect(await refusalOf(readList("json", file))).toBe(`validation_failed: ${words}`);
  });

  test("a video that never ends is refused before it fills the memory", async () => {
    for (const endless of [`[{"title":"${"x".repeat(400_000)}`, `{"junk":[${"1,".repeat(200_000)}`])
      expect(await refusalOf(readList("json", endless, { pieceBytes: 4096 }))).toContain("256 KiB");
  });

  test("elements that are no objects are rows that cannot be used", async () => {
    expect(await readList("json", `[1,null,[],${item}]`)).toMatchObject({
      items: [{ url: URL_1 }],
      errors: [1, 2, 3].map((row) => ({ row, message: "is not a JSON object" })),
    });
  });
});

describe("NDJSON", () => {
  test("a line that is not JSON is named, and the others are read", async () => {
    const file = `{"url":"${URL_1}"}\n{"url":\n[]\n{"url":"${URL_1}","x":${"[".repeat(40)}${"]".repeat(40)}}\n{"url":"${URL_1}"}`;
    const read = await readList("ndjson", file);
    expect(read.items).toHaveLength(2);
    expect(read.errors).toEqual([
      { row: 2, message: "is not JSON" },
      { row: 3, message: "is not a JSON object" },
      { row: 4, message: "nests deeper than 32 levels" },
    ]);
  });

  test("a line that never ends is refused", async () => {
    expect(await refusalOf(readList("ndjson", "x".repeat(300_000), { pieceBytes: 4096 }))).toContain("256 KiB");
  });
});

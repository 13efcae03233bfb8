/** Rows of lists: names, values and what is wrong with them. */
import { expect, test } from "vitest";
import { IdIndex, pagesOf, rangeOf } from "../../../../src/imports/lists/id-index.ts";
import { formatOfPath, readContentType } from "../../../../src/imports/lists/format-of.ts";
import { instantOf } from "../../../../src/imports/lists/parse/instant-of.ts";
import { readRow } from "../../../../src/imports/lists/parse/read-row.ts";
import { shownUrl } from "../../../../src/imports/batches/shown-url.ts";
import { idOfUrl } from "../../../../src/imports/sources/list-item.ts";

const URL_1 = "https://cdn.test/1.mp4";
const read = (fields: Record<string, unknown>) => readRow({ fields: Object.entries(fields) }, () => undefined);
const messageOf = (fields: Record<string, unknown>) => {
  const result = read(fields);
  return "message" in result ? result.message : "accepted";
};

test.each<[string, Record<string, unknown>, string]>([
  ["no address", { title: "x" }, "url: must be the address of the file"],
  ["an address that is no text", { url: 5, id: { a: 1 } }, "id: is invalid"],
  ["two columns of one meaning", { url: URL_1, src: URL_1 }, 'url: is said twice, also as "src"'],
  [
    "a time of two meanings",
    { url: URL_1, created: "05/06/2026" },
    "createdAt: must be a time such as 2026-05-20T12:50:15Z",
  ],
  ["another policy", { url: URL_1, accessPolicy: "unlisted" }, "accessPolicy: must be one of public, private, drm"],
  [
    "captions without a language",
    { url: URL_1, captions: '[{"url":"https://cdn.test/1.vtt"}]' },
    'captions.0.languageCode: must be JSON such as [{"url": "https://…", "languageCode": "en"}]',
  ],
  ["metadata that are no object", { url: URL_1, metadata: "[1]" }, "metadata: must be a JSON object of texts"],
  [
    "chapters that are no JSON",
    { url: URL_1, chapters: "0 Intro" },
    'chapters: must be JSON such as [{"startMs": 0, "title": "Intro"}]',
  ],
  ["a long id", { url: URL_1, id: "x".repeat(1025) }, "id: has more than 1024 characters"],
  [
    "a long address without an id",
    { url: `https://cdn.test/${"x".repeat(1024)}.mp4` },
    "id: is needed, because url is longer than 1024 characters",
  ],
  [
    "a token in place of the video's id",
    {
      url: "https://customer-x.cloudflarestream.com/eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbg/downloads/default.mp4",
    },
    "id: is needed, because url has a token in place of what identifies the video",
  ],
])("%s is named without the row's own words", (_, fields, message) => {
  expect(messageOf(fields)).toBe(message);
});

test("titles of 10,000 characters, control characters and halves of characters are kept as far as they are text", () => {
  const title = `${"🎬".repeat(5000)}\u0000\n\ud83c`;
  expect(read({ url: URL_1, title })).toMatchObject({ item: { title: `${"🎬".repeat(5000)}\u0000\n\ufffd` } });
});

test("metadata are texts, whatever their JSON was, and own columns are added", () => {
  const metadata = { a: 1, b: true, c: { d: [1] }, e: null };
  expect(read({ url: URL_1, metadata, "metadata.f.g": "h" })).toMatchObject({
    item: { metadata: { a: "1", b: "true", c: '{"d":[1]}', "f.g": "h" } },
  });
});

test("a number is a text where a text is meant", () => {
  expect(read({ url: URL_1, id: 17, tags: "5" })).toMatchObject({ item: { id: "17", tags: ["5"] } });
});

test.each([
  ["2026-05-20T12:50:15Z", "2026-05-20T12:50:15.000Z"],
  ["2026-05-20T12:50:15.123456+02:00", "2026-05-20T10:50:15.123Z"],
  ["2026-05-20 12:50:15 +0200", "2026-05-20T10:50:15.000Z"],
  ["2026-05-20 12:50 UTC", "2026-05-20T12:50:00.000Z"],
  ["2026-05-20", "2026-05-20T00:00:00.000Z"],
  [1_779_281_415, "2026-05-20T12:50:15.000Z"],
  ["1779281415000", "2026-05-20T12:50:15.000Z"],
  ["20260520", null],
  ["yesterday", null],
  ["", null],
  [{}, null],
])("the time %j is %j", (given, instant) => {
  expect(instantOf(given)).toBe(instant);
});

test.each([
  ["https://cdn.test/1.mp4", "https://cdn.test/1.mp4"],
  ["https://cdn.test/get?v=1&sv=2", "https://cdn.test/get?v=1&sv=2"],
  ["https://b.s3.test/1.mp4?X-Amz-Signature=a&X-Amz-Date=b&versionId=3", "https://b.s3.test/1.mp4?versionId=3"],
  ["https://x.blob.test/1.mp4?sv=1&se=2&sp=r&sig=s", "https://x.blob.test/1.mp4"],
  ["https://d.cloudfront.test/1.mp4?Expires=1&Signature=s&Key-Pair-Id=k&Policy=p", "https://d.cloudfront.test/1.mp4"],
  ["https://u:p@cdn.test/1.mp4#t=1", "https://cdn.test/1.mp4"],
  ["not a url", "not a url"],
  ["https://u:secret@cdn test/1.mp4?token=secret#secret", "https://cdn test/1.mp4"],
  ["?token=secret", "no address"],
  [
    "https://api.test/get?id=3f2504e0-4f89-11d3-9a0c-0305e82c3301",
    "https://api.test/get?id=3f2504e0-4f89-11d3-9a0c-0305e82c3301",
  ],
  ["https://api.test/get?id=17&width=640&token=secret", "https://api.test/get?id=17"],
  [
    "https://vod.api.test/vod/vi1/token/secret-5e5c/mp4/source.mp4",
    "https://vod.api.test/vod/vi1/token/hidden/mp4/source.mp4",
  ],
  ["https://cdn.test/hdntl=exp=1~acl=%2f*~hmac=secret/1.mp4", "https://cdn.test/hidden/1.mp4"],
  ["https://cdn.test/bcdn_token=secret&expires=9/1.mp4", "https://cdn.test/hidden/1.mp4"],
])("the id of %s is %s", (url, id) => {
  expect(idOfUrl(url)).toBe(id);
});

test.each([
  "hdnts=exp=1~acl=/*~hmac=secret",
  "hdntl=exp=1~hmac=secret",
  "hdnea=st=1~exp=2~hmac=secret",
  "bcdn_token=secret&expires=9&token_path=/",
  "token=secret&expires=9",
  "md5=secret&expires=9",
  "verify=9-secret",
  "auth=secret",
  "auth_key=9-0-0-secret",
  "jwt=secret",
  "rlkey=secret&dl=1",
  "q-sign-algorithm=sha1&q-ak=secret&q-sign-time=1;2&q-signature=secret",
  "e=1790000000&token=secret",
  "OSSAccessKeyId=secret&Expires=9&Signature=secret",
  "x-cos-security-token=secret",
  "Policy=secret&Key-Pair-Id=secret",
  "sv=1&se=2&sig=secret",
  "wsSecret=secret&wsTime=1",
  "p=secretsecretsecret01",
  "p=0123456789abcdef0123456789abcdef",
  "p=c2VjcmV0+c2VjcmV0/c2VjcmV0==",
  "until=1790000000",
  "id=eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2VjcmV0",
  "secretsecretsecret01",
])("an id has nothing of the query %s, and stays when it is signed anew", (query) => {
  const anew = query.replaceAll("secret", "others").replaceAll("1790000000", "1790000001");
  for (const signed of [query, anew])
    expect(idOfUrl(`https://cdn.test/1.mp4?${signed}`)).toBe("https://cdn.test/1.mp4");
});

test.each([
  ["https://cdn.test/1.mp4?token=secret#x", "https://cdn.test/1.mp4"],
  [
    "https://customer-x.cloudflarestream.com/eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbg/downloads/default.mp4",
    "https://customer-x.cloudflarestream.com/hidden/downloads/default.mp4",
  ],
  [
    "https://vod.api.test/vod/vi1/token/secret/mp4/source.mp4",
    "https://vod.api.test/vod/vi1/token/hidden/mp4/source.mp4",
  ],
  ["https://cdn.test/token/eyewitness-2019.final.mp4", "https://cdn.test/token/eyewitness-2019.final.mp4"],
  ["nowhere", null],
])("%s is shown as %s", (url, shown) => {
  expect(shownUrl(url)).toBe(shown);
});

test("the index of 500,000 ids names the page of each of them in one short read", () => {
  const index = new IdIndex();
  const count = 500_000;
  for (let n = 0; n < count; n++) index.add(`https://cdn.test/${n}.mp4`, Math.floor(n / 1000));
  const bytes = index.bytes();
  expect(bytes.byteLength).toBe(count * 8);
  const pages = (id: string) => {
    const { offset, length } = rangeOf(id, count);
    expect(length).toBeLessThanOrEqual(32_768);
    return pagesOf(id, bytes.slice(offset, offset + length).buffer);
  };
  for (let n = 0; n < count; n += 997) expect(pages(`https://cdn.test/${n}.mp4`)).toContain(Math.floor(n / 1000));
  expect(pages("https://cdn.test/none.mp4").length).toBeLessThan(2);
});

test("an id that is on several pages has them in their order", () => {
  const index = new IdIndex();
  for (const page of [3, 1, 1]) index.add("a", page);
  index.add("b", 2);
  expect(pagesOf("a", index.bytes().slice().buffer)).toEqual([1, 3]);
});

test.each([
  ["text/csv; charset=utf-8", "csv", "utf-8"],
  ['TEXT/CSV; header=present; charset="windows-1252"', "csv", "windows-1252"],
  ["application/json", "json", null],
  ["application/x-ndjson", "ndjson", null],
  ["text/html", null, null],
  ["", null, null],
])("the type %j is %j in %j", (header, format, charset) => {
  expect(readContentType(header)).toEqual({ format, charset });
});

test.each([
  ["https://x.test/a/list.CSV?x=1.json", "csv"],
  ["https://x.test/list.jsonl", "ndjson"],
  ["https://x.test/list.xlsx", null],
  ["https://x.test/", null],
])("the path of %s says %j", (url, format) => {
  expect(formatOfPath(url)).toBe(format);
});

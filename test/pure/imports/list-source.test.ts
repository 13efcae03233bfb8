/** A list as a source. */
import { expect, test } from "vitest";
import { knownBy } from "../../../src/imports/credentials/known-by.ts";
import { listSource, ListOptions, openList } from "../../../src/imports/sources/list.ts";
import { inlineRows } from "../../../src/imports/sources/row-reader.ts";
import { SourceFailure } from "../../../src/imports/sources/source.ts";
import type { SourceHttp } from "../../../src/imports/sources/source-http.ts";

const URL_1 = "https://cdn.test/1.mp4";
const open = (items: Parameters<typeof inlineRows>[0], allowsPrivateNetwork = false) =>
  openList(inlineRows(items), { allowsPrivateNetwork });

test("an item becomes a video: private unless it says otherwise, its id as the old playback ID", async () => {
  const source = open([
    { url: URL_1, title: "One", metadata: { a: 1 } },
    { id: "2", url: URL_1, playbackId: "p", accessPolicy: "public" },
  ]);
  const { videos, next } = await source.listPage(null, {});
  expect(next).toBeNull();
  expect(videos).toMatchObject([
    {
      id: URL_1,
      title: "One",
      metadata: { a: "1" },
      policy: "private",
      playbackIds: [{ id: URL_1, policy: "private" }],
      captions: [],
      obstacle: null,
    },
    { id: "2", policy: "public", playbackIds: [{ id: "p", policy: "public" }] },
  ]);
  expect(await source.resolve(videos[0]!, null)).toEqual({ status: "ready", url: URL_1, expiresAtMs: null });
  expect(await source.describe("2")).toEqual(videos[1]);
  expect(await source.describe("3")).toBeNull();
});

test("a repeated id is listed each time", async () => {
  const { videos } = await open([{ url: URL_1 }, { url: URL_1 }]).listPage(null, {});
  expect(videos.map(({ id }) => id)).toEqual([URL_1, URL_1]);
});

test("addresses that are not public are obstacles, and captions at such addresses are said to be left", async () => {
  const items = ["http://127.0.0.1/1.mp4", "ftp://cdn.test/1", "x", `https://cdn.test/${"x".repeat(3000)}`].map(
    (url, n) => ({ id: `${n}`, url }),
  );
  const { videos } = await open(items).listPage(null, {});
  expect(videos.map(({ obstacle, ref }) => [obstacle?.code, ref])).toEqual(items.map(() => ["invalid_url", {}]));
  await expect(open(items).resolve(videos[0]!, null)).rejects.toMatchObject({ code: "invalid_url" });
  expect((await open(items, true).listPage(null, {})).videos[0]!.obstacle).toBeNull();

  const captions = [
    { url: "http://10.0.0.1/x.vtt", languageCode: "en" },
    { url: "https://cdn.test/x.vtt", languageCode: "de" },
  ];
  const [video] = (await open([{ url: URL_1, captions }]).listPage(null, {})).videos;
  expect([video!.captions?.map(({ languageCode }) => languageCode), video!.left]).toEqual([
    ["de"],
    ["captions in en, whose address is not a public http or https URL"],
  ]);
});

test.each<[string, unknown, string | null]>([
  ["items", { items: [{ url: URL_1 }] }, null],
  ["a list", { listId: "359AE62B-C831-4064-9F10-1F24114B192C" }, null],
  ["an address", { url: "https://x.test/list.csv", format: "csv" }, null],
  ["none", {}, "items"],
  ["two", { items: [{ url: URL_1 }], url: "https://x.test/" }, "items"],
  ["a format of nothing", { listId: "359ae62b-c831-4064-9f10-1f24114b192c", format: "csv" }, "format"],
  ["no items", { items: [] }, "items"],
  ["101 items", { items: Array.from({ length: 101 }, () => ({ url: URL_1 })) }, "items"],
  ["an unknown field", { items: [{ url: URL_1, titel: "x" }] }, "items.0"],
  ["an item that needs an id", { items: [{ url: `https://x.test/${"x".repeat(1100)}` }] }, "items.0.id"],
])("options of %s", (_, options, field) => {
  const parsed = ListOptions.safeParse(options);
  expect(parsed.success ? null : parsed.error.issues[0]!.path.join(".")).toBe(field);
});

test("the definition opens inline items, and nothing that is stored", async () => {
  const given = (options: object) => ({ options: ListOptions.parse(options), credentials: null, nowMs: Date.now });
  const http = {} as SourceHttp;
  const { videos } = await listSource.open(given({ items: [{ url: URL_1 }] }), http).listPage(null, {});
  expect(videos).toHaveLength(1);
  expect(() => listSource.open(given({ url: "https://x.test/list.csv" }), http)).toThrow("stored list");
  expect(new SourceFailure("invalid_url", "x").retryAfterMs).toBeNull();
});

test("credentials are known by their fields, and by the end of an id that is long enough to hide the rest", () => {
  expect(knownBy({ tokenId: "0123456789abcdef", tokenSecret: "s".repeat(40) })).toEqual({
    fields: ["tokenId", "tokenSecret"],
    ending: "cdef",
  });
  expect(knownBy({ accessKeyId: "short", secretAccessKey: "x" }).ending).toBeNull();
  expect(knownBy({ apiToken: "0123456789abcdef", note: "" })).toEqual({ fields: ["apiToken"], ending: null });
});

/** Pages, order, bounds and bad questions. */
import { env } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import { type ErrorBody, newWorkspace, type TestWorkspace } from "../../workspace.ts";
import { type Hit, indexed, newMedia, newTrack, pathOf, search, snippets } from "./search-helpers.ts";

let workspace: TestWorkspace;
beforeEach(async () => {
  workspace = await newWorkspace();
});

async function pagesOf(q: string, limit: number): Promise<Hit[][]> {
  const pages: Hit[][] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const page = await search(workspace, q, `&limit=${limit}${cursor === "" ? "" : `&cursor=${cursor}`}`);
    pages.push(page.data);
    cursor = page.pagination.nextCursor;
  }
  return pages;
}

/** Three media, one a second, each with a title and two tracks of three captions. @returns their ids, the newest first */
async function threeMedia(): Promise<string[]> {
  const atMs = Date.now() - 10_000;
  const ids: string[] = [];
  for (const n of [0, 1, 2]) {
    const mediaId = await newMedia(workspace, `Glacier ${n}`, new Date(atMs + n * 1000));
    await newTrack(mediaId, ["glacier a", "glacier b", "glacier c"]);
    await newTrack(mediaId, ["glacier a", "nothing", "glacier c"], "Other");
    ids.unshift(mediaId);
  }
  await indexed(workspace);
  return ids;
}

test("media come from the newest, in each the title and then the captions by time", async () => {
  const ids = await threeMedia();
  const { data } = await search(workspace, "glacier");
  expect(data.map(({ mediaId }) => mediaId)).toEqual(ids.flatMap((id) => Array<string>(6).fill(id)));
  expect(data.slice(0, 6).map(({ startMs, snippet }) => [startMs, snippet])).toEqual([
    [undefined, "Glacier 2"],
    [1000, "glacier a"],
    [1000, "glacier a"],
    [3000, "glacier b"],
    [5000, "glacier c"],
    [5000, "glacier c"],
  ]);
});

test.each([1, 2, 5, 18, 19])("pages of %i have every hit once, in the same order", async (limit) => {
  await threeMedia();
  const whole = (await search(workspace, "glacier")).data;
  const pages = await pagesOf("glacier", limit);
  expect(pages.flat()).toEqual(whole);
  expect(pages.map(({ length }) => length)).toEqual(
    Array.from({ length: Math.ceil(18 / limit) }, (_, page) => Math.min(limit, 18 - page * limit)),
  );
});

test("a page goes on behind the one before, although media were added and deleted meanwhile", async () => {
  const [, second, third] = await threeMedia();
  const first = await search(workspace, "glacier", "&limit=6");
  await newMedia(workspace, "Glacier of today");
  await workspace.request("DELETE", `/v1/on-demand/${second}`);
  await indexed(workspace);
  const next = await search(workspace, "glacier", `&limit=6&cursor=${first.pagination.nextCursor}`);
  expect(next.data.map(({ mediaId }) => mediaId)).toEqual(Array(6).fill(third));
  expect(next.pagination.nextCursor).toBeNull();
});

test("hits of deleted media that the index still has do not end the pages", async () => {
  const [newest, second, third] = await threeMedia();
  // As a crash would leave it: the changes are never taken over.
  for (const id of [newest, second]) {
    await env.DB.prepare("UPDATE assets SET deleted_at = 1 WHERE id = ?").bind(id).run();
    await env.DB.prepare("DELETE FROM search_changes WHERE asset_id = ?").bind(id).run();
  }
  const pages = await pagesOf("glacier", 2);
  expect(pages.flat().map(({ mediaId }) => mediaId)).toEqual(Array(6).fill(third));
});

test("of more than 10,000 hits, the 1,000 that were indexed last are found", async () => {
  const mediaId = await newMedia(workspace, "Words");
  const count = 10_001;
  await newTrack(
    mediaId,
    Array.from({ length: count }, (_, n) => `common ${n === 0 ? "first" : n === count - 1 ? "last" : "other"}`),
  );
  await indexed(workspace);
  const pages = await pagesOf("common", 100);
  expect(pages.map(({ length }) => length)).toEqual(Array(10).fill(100));
  expect(pages.flat().at(-1)!.snippet).toBe("common last");
  const partial = async (q: string) => (await search(workspace, q)).isPartial;
  expect([await partial("common"), await partial("common last"), await partial("common other")]).toEqual([
    true,
    false,
    false,
  ]);
  expect(await snippets(workspace, "common first")).toEqual(["common first"]);
});

describe("a question", () => {
  test.each([
    ["is missing", "/v1/on-demand/search", "q"],
    ["is empty", pathOf(""), "q"],
    ["has no letter and no digit", pathOf('"-" * ( ) ^ : ~'), "q"],
    ["is an emoji", pathOf("👩‍👩‍👧"), "q"],
    ["has a NUL", pathOf("har\u0000bour"), "q"],
    ["has 201 characters", pathOf("a".repeat(201)), "q"],
    ["has a cursor of another list", pathOf("a", "&cursor=WzEsIngiXQ"), "cursor"],
    ["has a broken cursor", pathOf("a", "&cursor=%22"), "cursor"],
    ["has a page of 0", pathOf("a", "&limit=0"), "limit"],
    ["has a page of 101", pathOf("a", "&limit=101"), "limit"],
  ])("that %s is refused", async (_, path, field) => {
    const answer = await workspace.request("GET", path);
    expect(answer.status).toBe(422);
    expect((await answer.json<ErrorBody>()).error.fields).toMatchObject([{ field }]);
  });

  test.each([
    'harbour "AND',
    "harbour*",
    "har* OR x",
    "text:harbour",
    "{text} : harbour",
    "-harbour",
    "^harbour",
    '"harbour"',
    "harbour')--",
    "harbour; DROP TABLE cues",
    "(harbour",
    "NEAR(harbour dawn, 2)",
    "harbour NOT dawn",
    'harbour"" OR "dawn',
    "harbour \\",
    "harbour %",
    "a".repeat(200),
    Array<string>(100).fill("a").join(" "),
    '"'.repeat(199) + "a",
    "عربي harbour",
    "\u202eharbour\u202c",
    "𞤀𞤣𞤤𞤢𞤥",
    "\u0301a",
    "１２３",
  ])("with %j is words, and no syntax", async (q) => {
    const mediaId = await newMedia(workspace, "Harbour at dawn");
    await indexed(workspace);
    const { data } = await search(workspace, q);
    const isFound = /^[^\p{L}]*harbour[^\p{L}]*$/iu.test(q);
    expect(data).toEqual(isFound ? [{ mediaId, snippet: "Harbour at dawn" }] : []);
  });

  test("without credentials is refused", async () => {
    expect((await workspace.request("GET", pathOf("a"), undefined, { authorization: "" })).status).toBe(401);
  });
});

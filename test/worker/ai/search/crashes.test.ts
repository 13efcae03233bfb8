/** Changes whose taking over is interrupted, and an index that is made anew. */
import { env } from "cloudflare:test";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { textsOf } from "../../../../src/ai/search/media-texts.ts";
import { takeOver } from "../../../../src/ai/search/take-over.ts";
import { openDatabase } from "../../../../src/platform/database.ts";
import { captionsKey } from "../../../../src/platform/storage/keys.ts";
import { newWorkspace, type TestWorkspace } from "../../workspace.ts";
import {
  indexed,
  newMedia,
  newTrack,
  replaceText,
  runCron,
  search,
  snippets,
  totalsOf,
  withIndex,
} from "./search-helpers.ts";

let workspace: TestWorkspace;
let lines: { event: string }[];
beforeEach(async () => {
  workspace = await newWorkspace();
  lines = [];
  vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(JSON.parse(line) as { event: string }));
});
afterEach(() => void vi.restoreAllMocks());

/** Reads of this object fail, until the returned function is called. */
function failReads(key: string): () => void {
  let isBroken = true;
  const bucket = Object.getPrototypeOf(env.MEDIA) as { get: (this: R2Bucket, key: string) => Promise<unknown> };
  const { get } = bucket;
  vi.spyOn(bucket, "get").mockImplementation(function (this: R2Bucket, asked) {
    return isBroken && asked === key ? Promise.reject(new Error("R2 is away")) : get.call(this, asked);
  });
  return () => void (isBroken = false);
}

const takeOverNow = (mediaId: string) =>
  withIndex(workspace, async (components) => {
    const [texts] = await textsOf(openDatabase(env.DB), workspace.id, [mediaId]);
    await takeOver(components, texts!);
  });

test("a change that was taken over before a crash, and not deleted, adds nothing the second time", async () => {
  const mediaId = await newMedia(workspace, "Orchard");
  await newTrack(mediaId, ["apples in the orchard", "pears"]);
  await takeOverNow(mediaId);
  const before = await search(workspace, "orchard");
  expect([before.data.length, before.isIndexing]).toEqual([2, true]);
  await indexed(workspace);
  expect((await search(workspace, "orchard")).data).toEqual(before.data);
  expect(await totalsOf(workspace)).toEqual({ cues: 3, leftOut: 0 });
});

test("a text that is indexed in its version is not read again", async () => {
  const mediaId = await newMedia(workspace, "Orchard");
  const trackId = await newTrack(mediaId, ["apples"]);
  await indexed(workspace);
  await env.MEDIA.delete(captionsKey(mediaId, trackId, "whole.vtt"));
  expect((await workspace.request("PATCH", `/v1/on-demand/${mediaId}`, { title: "Garden" })).status).toBe(200);
  await indexed(workspace);
  expect([await snippets(workspace, "apples"), await snippets(workspace, "garden")]).toEqual([["apples"], ["Garden"]]);
  expect(lines.map(({ event }) => event)).not.toContain("search.text_missing");
});

test("a read that fails is repeated; meanwhile other media are found, and the answer says that one is not", async () => {
  const broken = await newMedia(workspace);
  const first = await newTrack(broken, ["the beacon of the north"]);
  await newTrack(broken, ["the beacon of the south"], "Other");
  const mend = failReads(captionsKey(broken, first, "whole.vtt"));
  await newTrack(await newMedia(workspace), ["the beacon of the east"]);
  await runCron();
  await expect.poll(() => snippets(workspace, "beacon")).toEqual(["the beacon of the east"]);
  expect((await search(workspace, "beacon")).isIndexing).toBe(true);
  expect(lines).toContainEqual(
    expect.objectContaining({ event: "search.not_indexed", level: "error", assetId: broken }),
  );
  mend();
  await indexed(workspace);
  expect((await snippets(workspace, "beacon")).toSorted()).toEqual([
    "the beacon of the east",
    "the beacon of the north",
    "the beacon of the south",
  ]);
});

test("a text whose object is gone is logged, and stops nothing", async () => {
  const mediaId = await newMedia(workspace, "Cellar");
  const trackId = await newTrack(mediaId, ["wine"]);
  await env.MEDIA.delete(captionsKey(mediaId, trackId, "whole.vtt"));
  await indexed(workspace);
  expect(await snippets(workspace, "cellar")).toEqual(["Cellar"]);
  expect(lines).toContainEqual(expect.objectContaining({ event: "search.text_missing", assetId: mediaId, trackId }));
});

/** As `npm run search -- rebuild` does. */
const askForRebuild = () =>
  env.DB.prepare("INSERT INTO search_changes (workspace_id, asset_id) VALUES (?, '')").bind(workspace.id).run();

/** Titles of many media, and some texts, one of which was replaced. */
async function fill() {
  const atMs = Date.now();
  for (let n = 0; n < 60; n += 1) await newMedia(workspace, `Film ${n} of the river`, new Date(atMs + n));
  const mediaId = await newMedia(workspace, null, new Date(atMs - 1000));
  const trackId = await newTrack(mediaId, ["the river", "the old river"]);
  await newTrack(mediaId, ["der Fluss", "river"], "Other");
  await indexed(workspace);
  await replaceText(workspace, mediaId, trackId, "the new river");
  await indexed(workspace);
}

test("an index that is made anew from D1 and R2 answers as the one that was fed", async () => {
  await fill();
  const fed = await search(workspace, "river", "&limit=100");
  expect(fed.data).toHaveLength(62);
  const totals = await totalsOf(workspace);
  await withIndex(workspace, ({ index }) => {
    index.removeExcept(fed.data[0]!.mediaId, new Set());
    index.putTitle({ mediaId: crypto.randomUUID(), mediaCreatedMs: 1 }, "A river that D1 does not know");
  });
  await askForRebuild();
  await indexed(workspace);
  expect(await search(workspace, "river", "&limit=100")).toEqual(fed);
  expect(await totalsOf(workspace)).toEqual(totals);
});

test("an index that is made anew goes on where it was interrupted, and a media that fails is a change of its own", async () => {
  await fill();
  const fed = await search(workspace, "river", "&limit=100");
  const { mediaId, trackId } = fed.data.find((hit) => hit.snippet === "river")!;
  const mend = failReads(captionsKey(mediaId, trackId!, "whole.vtt"));
  await askForRebuild();
  await runCron();
  await expect.poll(async () => (await search(workspace, "river", "&limit=100")).data.length).toBeGreaterThan(59);
  expect((await search(workspace, "river")).isIndexing).toBe(true);
  mend();
  await indexed(workspace);
  expect((await search(workspace, "river", "&limit=100")).data).toEqual(fed.data);
});

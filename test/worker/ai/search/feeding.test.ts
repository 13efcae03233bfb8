/** What is found after each change of media, titles and tracks, on the real object in workerd. */
import { env } from "cloudflare:test";
import { beforeEach, expect, test } from "vitest";
import { newClip, readyFilm, until } from "../../library/clips/clip-helpers.ts";
import { newWorkspace, type TestWorkspace } from "../../workspace.ts";
import { indexed, newMedia, newTrack, replaceText, search, snippets, totalsOf, withIndex } from "./search-helpers.ts";

let workspace: TestWorkspace;
beforeEach(async () => {
  workspace = await newWorkspace();
});

/** Of the captions and titles that the index has for a word, whether or not there is more of them. */
const idsOf = (word: string) =>
  withIndex(workspace, ({ index }) => index.run("SELECT rowid FROM words WHERE words MATCH ?", word));

test("captions are found with their media, track, times and text, and a title without track and times", async () => {
  const mediaId = await newMedia(workspace, "Harbour at dawn");
  const trackId = await newTrack(mediaId, ["Good morning.", "The <b>harbour</b> sleeps &amp; waits."]);
  await indexed(workspace);
  expect(await search(workspace, "HARBOUR")).toEqual({
    success: true,
    data: [
      { mediaId, snippet: "Harbour at dawn" },
      { mediaId, trackId, startMs: 3000, endMs: 5000, snippet: "The harbour sleeps & waits." },
    ],
    pagination: { limit: 25, nextCursor: null },
    isPartial: false,
    isIndexing: false,
    leftOutCaptions: 0,
  });
});

test("a change is found after the cron, although nothing was called after its commit", async () => {
  const mediaId = await newMedia(workspace, "Quarry");
  const before = await search(workspace, "quarry");
  expect([before.data, before.isIndexing]).toEqual([[], true]);
  await indexed(workspace);
  expect((await search(workspace, "quarry")).data).toEqual([{ mediaId, snippet: "Quarry" }]);
});

test("a search that finds changes waiting has them taken over, without the cron", async () => {
  await newMedia(workspace, "Quarry");
  await expect.poll(() => snippets(workspace, "quarry")).toEqual(["Quarry"]);
});

test("a replaced text takes the place of the one before, also before it is indexed", async () => {
  const mediaId = await newMedia(workspace);
  const trackId = await newTrack(mediaId, ["the old windmill"]);
  await indexed(workspace);
  expect((await replaceText(workspace, mediaId, trackId, "a new watermill")).status).toBe(200);
  const [old, next] = [await search(workspace, "windmill"), await search(workspace, "watermill")];
  expect([old.data, next.data, next.isIndexing]).toEqual([[], [], true]);
  await indexed(workspace);
  expect(await snippets(workspace, "windmill")).toEqual([]);
  expect((await search(workspace, "watermill")).data).toEqual([
    { mediaId, trackId, startMs: 1000, endMs: 2000, snippet: "a new watermill" },
  ]);
  expect(await totalsOf(workspace)).toEqual({ cues: 1, leftOut: 0 });
  expect(await idsOf("windmill")).toEqual([]);
});

test("a deleted track is not found at once, and is gone from the index afterwards", async () => {
  const mediaId = await newMedia(workspace);
  const [one, other] = [await newTrack(mediaId, ["lighthouse"]), await newTrack(mediaId, ["lighthouse"], "Other")];
  await indexed(workspace);
  const found = (await search(workspace, "lighthouse")).data.map(({ trackId }) => trackId);
  expect([found.length, new Set(found)]).toEqual([2, new Set([one, other])]);
  expect((await workspace.request("DELETE", `/v1/on-demand/${mediaId}/tracks/${one}`)).status).toBe(200);
  expect((await search(workspace, "lighthouse")).data).toMatchObject([{ trackId: other }]);
  await indexed(workspace);
  expect((await search(workspace, "lighthouse")).data).toMatchObject([{ trackId: other }]);
  expect(await totalsOf(workspace)).toEqual({ cues: 1, leftOut: 0 });
});

test("a deleted media is not found at once, neither by its title nor by its captions", async () => {
  const mediaId = await newMedia(workspace, "Lighthouse");
  await newTrack(mediaId, ["the lighthouse keeper"]);
  await indexed(workspace);
  expect(await snippets(workspace, "lighthouse")).toHaveLength(2);
  expect((await workspace.request("DELETE", `/v1/on-demand/${mediaId}`)).status).toBe(200);
  expect(await snippets(workspace, "lighthouse")).toEqual([]);
  await indexed(workspace);
  expect(await totalsOf(workspace)).toEqual({ cues: 0, leftOut: 0 });
  expect(await idsOf("lighthouse")).toEqual([]);
});

test("a changed title takes the place of the one before, and a removed one is gone", async () => {
  const mediaId = await newMedia(workspace, "Winter");
  await indexed(workspace);
  const rename = (title: string) => workspace.request("PATCH", `/v1/on-demand/${mediaId}`, { title });
  expect((await rename("Summer")).status).toBe(200);
  expect(await snippets(workspace, "winter")).toEqual([]);
  await indexed(workspace);
  expect([await snippets(workspace, "winter"), await snippets(workspace, "summer")]).toEqual([[], ["Summer"]]);
  expect((await rename("")).status).toBe(200);
  await indexed(workspace);
  expect(await totalsOf(workspace)).toEqual({ cues: 0, leftOut: 0 });
});

test("a clip is found by the captions that it takes over, at its own times", async () => {
  const film = await readyFilm(workspace);
  await newTrack(film.assetId, ["one", "two", "three", "the lantern", "five"]); // at 1, 3, 5, 7 and 9 s
  const clip = await newClip(workspace, film.assetId, { startTime: 4, endTime: 12 });
  await until(workspace, clip.assetId, "Ready");
  await indexed(workspace);
  const { data } = await search(workspace, "lantern");
  expect(data.map(({ mediaId, startMs, endMs }) => ({ mediaId, startMs, endMs }))).toEqual([
    { mediaId: clip.assetId, startMs: 3000, endMs: 5000 },
    { mediaId: film.assetId, startMs: 7000, endMs: 9000 },
  ]);
});

test("a media is found once its upload has begun, with its title and the captions that came before", async () => {
  const created = await workspace.request("POST", "/v1/on-demand/upload", {
    corsOrigin: "*",
    pushMediaSettings: { title: "Ferry" },
  });
  const { data } = await created.json<{ data: { uploadId: string } }>();
  await newTrack(data.uploadId, ["the ferry leaves"]);
  await indexed(workspace);
  expect(await snippets(workspace, "ferry")).toEqual([]);
  await env.DB.prepare("UPDATE assets SET status = 'processing' WHERE id = ?").bind(data.uploadId).run();
  await indexed(workspace);
  expect(await snippets(workspace, "ferry")).toEqual(["Ferry", "the ferry leaves"]);
});

test("two workspaces never see each other's media", async () => {
  const other = await newWorkspace();
  const [mine, theirs] = [await newMedia(workspace, "Observatory"), await newMedia(other, "Observatory")];
  await newTrack(mine, ["my observatory"]);
  await newTrack(theirs, ["their observatory"]);
  await indexed(workspace, other);
  expect(await snippets(workspace, "observatory")).toEqual(["Observatory", "my observatory"]);
  expect(await snippets(other, "observatory")).toEqual(["Observatory", "their observatory"]);
});

/** A batch waits for its source as long as that helps, and no longer; it always comes to an end. */
import { env } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { importCredentials } from "../../../src/imports/credentials/tables.ts";
import { SourceFailure } from "../../../src/imports/sources/source.ts";
import { assets } from "../../../src/library/assets/tables.ts";
import { addedTracks } from "../../../src/library/tracks/store/tables.ts";
import { openDatabase } from "../../../src/platform/database.ts";
import { newWorkspace } from "../workspace.ts";
import { type BatchBench, newBatch } from "./batch-bench.ts";
import { mediaOf, oldIdsOf, typesOf } from "./batch-facts.ts";
import { FakeSource, video, videos } from "./fake-source.ts";

const HOUR_MS = 3_600_000;
const VTT = "WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n";
const CAPTION = { languageCode: "en", name: null, url: null, text: VTT };
const db = openDatabase(env.DB);
const tracksOf = async (batch: BatchBench) =>
  db
    .select()
    .from(addedTracks)
    .where(eq(addedTracks.assetId, (await batch.item("v")).mediaId!));

const limited = (retryAfterMs: number) =>
  new SourceFailure("source_rate_limited", "The source has asked for a pause.", { retryAfterMs });
const down = () => new SourceFailure("source_unavailable", "The source does not answer.", { retryAfterMs: 1000 });

/** A source whose captions need its answer, and a batch of one video whose media is ready. */
async function withOwedCaptions() {
  const workspace = await newWorkspace();
  const source = new FakeSource([video("v", { captions: null })]);
  source.captionsOf.set("v", [CAPTION]);
  const batch = await newBatch({ workspace, source });
  await batch.until(({ counts }) => counts.submitted === 1);
  await batch.readyAll();
  return { source, batch };
}

test("files that the source never prepares fail after two hours, and keep no others out", async () => {
  const source = new FakeSource(videos(50));
  source.file = ({ id }) =>
    Number(id.slice(1)) < 40
      ? { status: "waiting", retryAfterMs: 10_000, state: { asked: true } }
      : { status: "ready", url: `https://cdn.test/${id}.mp4`, expiresAtMs: null };
  const batch = await newBatch({ workspace: await newWorkspace(), source });
  const begunAtMs = batch.nowMs;
  await batch.until(({ counts }) => counts.submitted === 10);
  expect(batch.nowMs - begunAtMs).toBeLessThan(HOUR_MS);
  expect(await batch.finish()).toMatchObject({ state: "done", counts: { ready: 10, failed: 40 } });
  expect(await batch.item("v0")).toMatchObject({ status: "failed", error: { code: "no_file" } });
  expect(source.countOf("resolve", "v0")).toBeLessThan(100);
});

test("captions that the source gives as text come after a pause of an hour", async () => {
  const { source, batch } = await withOwedCaptions();
  const endMs = batch.nowMs + HOUR_MS;
  source.before = (method) => {
    if (method === "captions" && batch.nowMs < endMs) throw limited(endMs - batch.nowMs);
  };
  expect(await batch.finish()).toMatchObject({ state: "done", counts: { ready: 1 } });
  expect((await batch.item("v")).differences).toEqual([]);
  expect(await tracksOf(batch)).toHaveLength(1);
  expect(source.countOf("captions")).toBeLessThan(10);
});

test("captions come also after an outage of the whole source", async () => {
  const { source, batch } = await withOwedCaptions();
  const endMs = batch.nowMs + HOUR_MS;
  source.before = () => {
    if (batch.nowMs < endMs) throw down();
  };
  expect(await batch.finish()).toMatchObject({ state: "done", counts: { ready: 1 } });
  expect(await tracksOf(batch)).toHaveLength(1);
});

test("captions wait while a batch is paused, and come when it goes on", async () => {
  const { source, batch } = await withOwedCaptions();
  await batch.command({ name: "pause" });
  const asked = source.countOf("captions");
  await batch.until(() => batch.nowMs > Date.now() + HOUR_MS);
  expect([(await batch.view()).counts.submitted, source.countOf("captions")]).toEqual([1, asked]);
  await batch.command({ name: "resume", credentialId: null });
  expect(await batch.finish()).toMatchObject({ state: "done", counts: { ready: 1 } });
  expect(await tracksOf(batch)).toHaveLength(1);
});

test("a cancelled batch whose source asks for pauses without end completes within two days", async () => {
  const source = new FakeSource(videos(6));
  source.needsRelease = true;
  source.file = () => ({ status: "waiting", retryAfterMs: 60_000, state: {} });
  const batch = await newBatch({ workspace: await newWorkspace(), source });
  await batch.until(() => source.switched.size === 6);
  source.before = (method) => {
    if (method === "release") throw limited(HOUR_MS);
  };
  await batch.command({ name: "cancel" });
  await batch.until(undefined, 48 * HOUR_MS);
  expect((await batch.row()).completedAt).not.toBeNull();
  expect(await typesOf(batch.id)).toContain("completed");
  for (const { differences } of await batch.items()) expect(differences).toMatchObject([{ field: "source" }]);
});

test("a batch that its owner pauses leaves nothing open of what has ended", async () => {
  const source = new FakeSource(videos(3));
  source.needsRelease = true;
  const batch = await newBatch({ workspace: await newWorkspace(), source });
  await batch.until(({ counts }) => counts.submitted === 3);
  await batch.command({ name: "pause" });
  await batch.readyAll();
  await batch.until(({ counts }) => counts.ready === 3 && source.switched.size === 0);
  expect([...source.switched]).toEqual([]);
  expect((await batch.view()).state).toBe("paused");
});

test("a batch whose credentials are deleted while it runs is paused", async () => {
  const workspace = await newWorkspace();
  const credentials = { tokenId: "id", tokenSecret: "secret" };
  const body = { source: "mux", credentials, keep: true };
  const answer = await workspace.request("POST", "/v1/imports/credentials", body);
  const { credentialId } = (await answer.json<{ data: { credentialId: string } }>()).data;
  const batch = await newBatch({ workspace, source: new FakeSource(videos(200)), credentialId });
  batch.beforeOpen = () => {
    if (isDeleted) throw new SourceFailure("credentials_invalid", "The credentials of this batch were deleted.");
  };
  let isDeleted = false;
  await batch.until(({ counts }) => counts.submitted > 0);
  await db.delete(importCredentials).where(eq(importCredentials.id, credentialId));
  isDeleted = true;
  expect(await batch.until(({ state }) => state === "paused")).toMatchObject({
    state: "paused",
    problem: { code: "credentials_invalid" },
  });
  expect((await mediaOf(workspace.id)).length).toBeLessThan(200);
});

test("a source with ever new cursors and the same unselected video ends the scan, with a problem", async () => {
  const source = new FakeSource([]);
  let page = 0;
  source.page = () => ({ videos: [video("old", { createdAt: "2020-01-01T00:00:00.000Z" })], next: `page ${page++}` });
  const selection = { createdAfter: "2025-01-01T00:00:00.000Z" };
  const batch = await newBatch({ workspace: await newWorkspace(), source, selection, dryRun: true });
  expect(await batch.until()).toMatchObject({ state: "scanned", problem: { code: "source_unreadable" } });
  expect(source.countOf("listPage")).toBeLessThan(10);
});

test("rows of a list that repeat for pages do not end its scan", async () => {
  const source = new FakeSource([...videos(10), ...videos(10), ...videos(10), ...videos(10), ...videos(20).slice(10)]);
  const batch = await newBatch({ workspace: await newWorkspace(), source, kind: "list", dryRun: true });
  expect(await batch.until()).toMatchObject({ state: "scanned", problem: null, counts: { total: 20 } });
});

test("the next video with an old playback ID gets it when the media of the first one fails", async () => {
  const workspace = await newWorkspace();
  const shared = { playbackIds: [{ id: "old-x", policy: "public" as const }] };
  const batch = await newBatch({ workspace, source: new FakeSource([video("a", shared), video("b", shared)]) });
  await batch.until(({ counts }) => counts.submitted === 2);
  const { mediaId: failing } = await batch.item("a");
  const failed = { status: "errored", errorCode: "source_not_media", errorMessage: "It is no film." } as const;
  await db.update(assets).set(failed).where(eq(assets.id, failing!));
  await batch.until(({ counts }) => counts.failed === 1);
  expect(await batch.finish()).toMatchObject({ state: "done", counts: { ready: 1, failed: 1 } });
  expect(await oldIdsOf(workspace.id)).toEqual({ "old-x": (await batch.item("b")).mediaId });
});

test("a fault of the service that lasts for an hour ends an item with a difference", async () => {
  const self = {
    fetch: () => {
      throw new TypeError("something broke");
    },
  } as unknown as Fetcher;
  const batch = await newBatch({ workspace: await newWorkspace(), source: new FakeSource(videos(1)), self });
  expect(await batch.finish()).toMatchObject({ state: "done", counts: { ready: 1 } });
  expect((await batch.item("v0")).differences).not.toEqual([]);
});

/** Sources that misbehave: none of it fails an item that is well, and all of it is said. */
import { expect, test } from "vitest";
import { SourceFailure } from "../../../src/imports/sources/source.ts";
import { newWorkspace } from "../workspace.ts";
import { type BatchBench, newBatch } from "./batch-bench.ts";
import { mediaOf } from "./batch-facts.ts";
import { FakeSource, type SourceMethod, videos } from "./fake-source.ts";

const HOUR_MS = 3600_000;
const down = () => new SourceFailure("source_unavailable", "The source does not answer.", { retryAfterMs: 10_000 });
const html = () =>
  new SourceFailure("source_unreadable", "The source answered with a web page.", { retryAfterMs: 10_000 });
const slowDown = (ms: number) =>
  new SourceFailure("source_rate_limited", "The source asks for a pause.", { retryAfterMs: ms });
const refused = () => new SourceFailure("credentials_invalid", "The source refused the credentials.");

/** A source of so many videos in pages of ten. */
async function batchOf(count: number, change: (source: FakeSource) => void = () => undefined) {
  const workspace = await newWorkspace();
  const source = new FakeSource(videos(count));
  change(source);
  return { workspace, source, batch: await newBatch({ workspace, source }) };
}

const allReady = (total: number) => ({ state: "done", counts: { total, ready: total, failed: 0, skipped: 0 } });

/** Fails calls from a place on, so many times. */
function failing(source: FakeSource, methods: SourceMethod[], times: number, failure: () => unknown, after = 0): void {
  let seen = 0;
  source.before = (method) => {
    if (!methods.includes(method)) return;
    const place = seen++;
    if (place >= after && place < after + times) throw failure();
  };
}

test("pages in circles end the scan once, each video is taken once, and the batch says so", async () => {
  const { source, batch } = await batchOf(30);
  const page = source.page;
  source.page = (cursor) => ({ ...page(cursor), next: page(cursor).next ?? "10" });
  const view = await batch.finish();
  expect(view).toMatchObject({ ...allReady(30), problem: { code: "source_unreadable" } });
  expect(source.countOf("listPage")).toBeLessThanOrEqual(5);
});

test("circles are found behind a selection that takes nothing", async () => {
  const workspace = await newWorkspace();
  const source = new FakeSource(videos(30));
  const page = source.page;
  source.page = (cursor) => ({ ...page(cursor), next: page(cursor).next ?? "10" });
  const selection = { createdAfter: "2026-01-01T00:00:00Z" };
  const batch = await newBatch({ workspace, source, selection });
  expect(await batch.finish()).toMatchObject({ state: "done", counts: { total: 0 } });
});

test("circles with a new cursor for each page end, too", async () => {
  const { source, batch } = await batchOf(20);
  let cursor = 0;
  source.page = () => ({
    videos: source.videos.slice((cursor % 2) * 10, (cursor % 2) * 10 + 10),
    next: `c${cursor++}`,
  });
  expect(await batch.finish()).toMatchObject({ ...allReady(20), problem: { code: "source_unreadable" } });
  expect(cursor).toBeLessThan(10);
});

test("a video that is listed on two pages is taken once", async () => {
  const { source, batch } = await batchOf(25);
  source.page = (cursor) => {
    const at = Number(cursor ?? 0);
    const from = Math.max(0, at - 1); // the last of the page before
    return { videos: source.videos.slice(from, at + 10), next: at + 10 < 25 ? String(at + 10) : null };
  };
  expect(await batch.finish()).toMatchObject({ ...allReady(25), problem: null });
});

test("a video that is gone when its turn comes fails with that reason", async () => {
  const { batch } = await batchOf(5, (source) => {
    source.listIsPartial = true;
    source.before = (method) => {
      if (method === "describe") source.videos = source.videos.filter(({ id }) => id !== "v0");
    };
  });
  expect(await batch.finish()).toMatchObject({ state: "done", counts: { ready: 4, failed: 1 } });
  expect(await batch.item("v0")).toMatchObject({ status: "failed", error: { code: "video_gone" } });
});

test.each([
  ["an error of its own", down],
  ["a web page", html],
])("%s at one page of the list is tried again, and nothing is left out", async (_, failure) => {
  const { source, batch } = await batchOf(50, (changed) => failing(changed, ["listPage"], 3, failure, 2));
  const waiting = await batch.until(({ problem }) => problem !== null);
  expect(waiting).toMatchObject({ state: "scanning", scanned: 20, problem: { code: failure().code } });
  expect(await batch.finish()).toMatchObject({ ...allReady(50), problem: null });
  expect(source.countOf("listPage")).toBe(5 + 3);
});

test("an answer that is not what the source documents pauses the batch, which goes on where it was", async () => {
  const { source, batch } = await batchOf(30);
  failing(source, ["listPage"], 1, () => new SourceFailure("source_unreadable", "The list has no `id`."), 1);
  const problem = { code: "source_unreadable", message: "The list has no `id`." };
  expect(await batch.finish()).toMatchObject({ state: "paused", scanned: 10, problem });
  expect(await batch.row()).toMatchObject({ state: "paused", problem });
  await batch.command({ name: "resume", credentialId: null });
  expect(await batch.finish()).toMatchObject({ ...allReady(30), problem: null });
});

test("429 with an hour: the batch says until when it waits, asks nothing, answers, and no item loses an attempt", async () => {
  const { source, batch } = await batchOf(20);
  failing(source, ["resolve"], 1, () => slowDown(HOUR_MS), 5);
  const { waitsUntilMs } = await batch.until(({ problem }) => problem?.code === "source_rate_limited");
  expect(waitsUntilMs! - batch.nowMs).toBe(HOUR_MS);
  const asked = source.calls.length;
  await batch.readyAll();
  await batch.until(async ({ counts }) => counts.submitted === 0 && (await batch.nextMs())! >= waitsUntilMs!);
  batch.nowMs = waitsUntilMs! - 1;
  await batch.turn();
  expect(source.calls.length).toBe(asked);
  expect(await batch.view()).toMatchObject({ state: "running", waitsUntilMs });
  expect(await attemptsOf(batch)).toEqual([0]);
  expect(await batch.finish()).toMatchObject({ ...allReady(20), problem: null });
  expect(batch.nowMs).toBeGreaterThanOrEqual(waitsUntilMs!);
});

const attemptsOf = async (batch: BatchBench) =>
  await batch.inside(({ items }) => [
    ...new Set(items.page({ status: null, after: 0, limit: 1000 }).map(({ attempts }) => attempts)),
  ]);

test("while the source asks for a pause, media that are ready are verified", async () => {
  const { source, batch } = await batchOf(20);
  failing(source, ["resolve"], Infinity, () => slowDown(HOUR_MS), 5);
  await batch.until(({ problem }) => problem !== null);
  const pausedAtMs = batch.nowMs;
  await batch.readyAll();
  await batch.until(({ counts }) => counts.submitted === 0 && counts.ready > 0);
  expect(batch.nowMs - pausedAtMs).toBeLessThan(60_000);
});

test.each([1, 3, 40])("a source that is down for two hours fails none of %i items", async (count) => {
  const { source, batch } = await batchOf(count);
  let backAtMs = Infinity;
  source.before = (method) => {
    if (method === "resolve") backAtMs = Math.min(backAtMs, batch.nowMs + 2 * HOUR_MS);
    if (backAtMs !== Infinity && batch.nowMs < backAtMs) throw down();
  };
  await batch.until(() => batch.nowMs >= backAtMs - 6 * 60_000); // it asks every five minutes
  expect(await batch.view()).toMatchObject({ counts: { failed: 0 }, problem: { code: "source_unavailable" } });
  const { calls } = source;
  expect(calls.length).toBeLessThan(2000);
  expect(await batch.finish()).toMatchObject({ ...allReady(count), problem: null });
});

test("an outage of half a minute costs about as long, however many items it meets", async () => {
  const { source, batch } = await batchOf(16, ({ pace }) => void (pace.concurrency = 16));
  let backAtMs = Infinity;
  source.before = (method) => {
    if (method === "resolve") backAtMs = Math.min(backAtMs, batch.nowMs + 30_000);
    if (backAtMs !== Infinity && batch.nowMs < backAtMs) throw down();
  };
  await batch.until(({ counts }) => counts.submitted === 16);
  expect(batch.nowMs - backAtMs).toBeLessThan(60_000);
  expect(await batch.finish()).toMatchObject({ ...allReady(16), problem: null });
});

test.each([1, 9])("%i items that always fail end with the source's words, and hold nothing up", async (broken) => {
  const { source, batch } = await batchOf(30);
  source.before = (method, about) => {
    if (method === "resolve" && Number(about!.slice(1)) < broken) throw down();
  };
  const begunAtMs = batch.nowMs;
  expect(await batch.finish()).toMatchObject({ state: "done", counts: { ready: 30 - broken, failed: broken } });
  expect(await batch.item("v0")).toMatchObject({
    status: "failed",
    error: { code: "source_unavailable", message: "The source does not answer." },
  });
  expect(source.countOf("resolve", "v0")).toBe(5);
  expect(batch.nowMs - begunAtMs).toBeLessThan(10 * 60_000);
  source.before = () => undefined;
  await batch.command({ name: "retry", items: null });
  expect(await batch.finish()).toMatchObject(allReady(30));
});

test("credentials that are revoked midway pause the batch, and with other ones of the account it goes on", async () => {
  const { source, batch } = await batchOf(20);
  source.pace.concurrency = 1;
  failing(source, ["resolve"], Infinity, refused, 7);
  const paused = await batch.finish();
  expect(paused).toMatchObject({ state: "paused", problem: { code: "credentials_invalid" }, waitsUntilMs: null });
  expect(paused.counts).toMatchObject({ ready: 7, pending: 13, failed: 0 });
  source.before = () => undefined;
  await batch.command({ name: "resume", credentialId: crypto.randomUUID() });
  expect(await batch.finish()).toMatchObject({ ...allReady(20), problem: null });
});

test("other credentials of another account are refused: the claims are of the first", async () => {
  const { source, batch } = await batchOf(3);
  failing(source, ["resolve"], Infinity, refused);
  expect(await batch.finish()).toMatchObject({ state: "paused" });
  source.before = () => undefined;
  source.account = "another account";
  await batch.command({ name: "resume", credentialId: crypto.randomUUID() });
  expect(await batch.finish()).toMatchObject({
    state: "paused",
    problem: { code: "credentials_invalid", message: expect.stringContaining("another account") },
    counts: { pending: 3 },
  });
});

test("a permission that the credentials lose midway pauses the batch; one that a single video lacks fails that video", async () => {
  const { source, batch } = await batchOf(10);
  const missing = () => new SourceFailure("permission_missing", "Master access was refused.");
  source.before = (method, about) => {
    if (method === "resolve" && about === "v3") throw missing();
  };
  expect(await batch.finish()).toMatchObject({ state: "done", counts: { ready: 9, failed: 1 } });
  await batch.command({ name: "retry", items: null });
  source.before = (method) => {
    if (method !== "listPage") throw missing();
  };
  expect(await batch.finish()).toMatchObject({
    state: "paused",
    problem: { code: "permission_missing" },
    counts: { pending: 1, failed: 0 },
  });
});

test("an address that has expired while the media waited is resolved anew, and one media remains", async () => {
  const { workspace, source, batch } = await batchOf(3);
  source.file = (_, state) =>
    state === null && source.countOf("resolve") <= 3
      ? { status: "waiting", retryAfterMs: 1000, state: { order: 7 } }
      : { status: "ready", url: `https://cdn.test/${source.calls.length}.mp4`, expiresAtMs: null };
  await batch.until(({ counts }) => counts.submitted === 3);
  const before = source.countOf("resolve");
  await batch.failAll("source_denied");
  expect(await batch.finish()).toMatchObject(allReady(3));
  expect(source.countOf("resolve")).toBe(before + 3);
  expect(await mediaOf(workspace.id)).toHaveLength(3);
});

test("an address that never works fails the item after three media, the last of which stays to be looked at", async () => {
  const { workspace, source, batch } = await batchOf(1);
  const view = await batch.until(async ({ counts }) => {
    if (counts.submitted > 0) await batch.failAll("source_denied", "The source's server refused the file.");
    return false;
  });
  expect(view).toMatchObject({ state: "done", counts: { failed: 1 } });
  expect(await batch.item("v0")).toMatchObject({
    error: { code: "source_denied", message: "The source's server refused the file." },
  });
  expect(source.countOf("resolve")).toBe(3);
  expect(await mediaOf(workspace.id)).toHaveLength(1);
});

test("a list has one address for each video: a file that is not there fails at once", async () => {
  const workspace = await newWorkspace();
  const source = new FakeSource(videos(1));
  const batch = await newBatch({ workspace, source, kind: "list" });
  await batch.until(({ counts }) => counts.submitted === 1);
  await batch.failAll("source_not_found");
  expect(await batch.until()).toMatchObject({ state: "done", counts: { failed: 1 } });
  expect(source.countOf("resolve")).toBe(1);
});

test("a media that fails for a reason of its own fails its item, and a retry makes another one in its place", async () => {
  const { workspace, batch } = await batchOf(2);
  await batch.until(({ counts }) => counts.submitted === 2);
  await batch.failAll("not_a_video", "The file has no video.");
  expect(await batch.until()).toMatchObject({ state: "done", counts: { failed: 2 } });
  const former = await batch.item("v0");
  expect(former.error).toEqual({ code: "not_a_video", message: "The file has no video." });
  await batch.command({ name: "retry", items: ["v0"] });
  expect(await batch.finish()).toMatchObject({ state: "done", counts: { ready: 1, failed: 1 } });
  expect((await batch.item("v0")).mediaId).not.toBe(former.mediaId);
  expect(await mediaOf(workspace.id)).toHaveLength(2);
});

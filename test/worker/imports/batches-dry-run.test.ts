/** A dry run says what would happen, changes nothing, and is started afterwards. */
import { expect, test } from "vitest";
import type { ImportReport } from "../../../src/imports/report/schemas.ts";
import { SourceFailure } from "../../../src/imports/sources/source.ts";
import { openSourceServer } from "../library/sources/source-servers.ts";
import { type ErrorBody, newWorkspace, type TestWorkspace } from "../workspace.ts";
import { type BatchBench, newBatch } from "./batch-bench.ts";
import { mediaOf, oldIdsOf, typesOf } from "./batch-facts.ts";
import { FakeSource, video, videos } from "./fake-source.ts";

async function dryRun(source: FakeSource, more: { selection?: Record<string, unknown> } = {}) {
  const workspace = await newWorkspace();
  return { workspace, source, batch: await newBatch({ workspace, source, dryRun: true, ...more }) };
}

const read = (workspace: TestWorkspace, batch: BatchBench, rest: string) =>
  workspace.request("GET", `/v1/imports/${batch.id}/${rest}`);
const reportOf = async (workspace: TestWorkspace, batch: BatchBench) =>
  (await (await read(workspace, batch, "report")).json<{ data: ImportReport }>()).data;

/** Serves a film at every address that its videos resolve to. */
async function served(source: FakeSource): Promise<void> {
  const server = await openSourceServer();
  await server.add("/film.mp4", { kind: "content", sizeBytes: 5000 });
  source.file = ({ id }) => ({
    status: "ready",
    url: `${server.origin}/${id === "v7" ? "gone" : "film"}.mp4?signature=very-secret`,
    expiresAtMs: null,
  });
}

const HOUR_MS = 3600_000;

test("nothing is created, and the report has the list's figures, what will be lost, and what cannot be fetched", async () => {
  const source = new FakeSource([
    ...videos(10, () => ({ durationMs: HOUR_MS, bytes: 1e9, widthPx: 1920, heightPx: 1080 })),
    video("private", { policy: "private", durationMs: null, bytes: null, heightPx: null, captions: null }),
    video("protected", { obstacle: { code: "drm_protected", message: "The file is encrypted." } }),
    video("left", { left: ["burnt-in watermark"], tags: ["a"], durationMs: HOUR_MS, bytes: 1e9 }),
    video("v0"),
  ]);
  await served(source);
  const { workspace, batch } = await dryRun(source);
  expect(await batch.until()).toMatchObject({ state: "scanned", counts: { total: 13, pending: 12, failed: 1 } });

  const report = await reportOf(workspace, batch);
  expect(report.found).toMatchObject({
    videos: 12,
    hours: 11.08,
    isHoursEstimated: true,
    sourceBytes: 12e9,
    isBytesEstimated: true,
    policies: { public: 11, private: 1 },
    resolutions: { "1080p": 10, "480p": 1, unknown: 1 },
    captionsUnknown: 1,
    playbackIds: 12,
    repeated: 1,
    alreadyImported: 0,
  });
  expect(report.estimate.onceUsd).toBeGreaterThan(0);
  expect(report.estimate.monthlyUsd).toBeGreaterThan(0.1);
  expect(report.estimate.totalSeconds).toBeGreaterThan(0);
  expect(report.lost).toEqual(
    expect.arrayContaining([{ what: "play counts" }, { what: "burnt-in watermark", videos: 1 }]),
  );
  expect(report.sampled).toBe(12);
  expect(report.obstacles.map(({ sourceId, code }) => [sourceId, code])).toEqual([
    ["v7", "source_not_found"],
    ["protected", "drm_protected"],
  ]);

  expect(await mediaOf(workspace.id)).toEqual([]);
  expect(await oldIdsOf(workspace.id)).toEqual({});
  expect(await typesOf(batch.id)).toEqual([]);
  expect(await batch.nextMs()).toBeNull();
});

test("rows of a list that have an id of another address are named, and mere repeats are only counted", async () => {
  const row = (id: string, url: string, title: string) => video(id, { title, ref: { url } });
  const source = new FakeSource([
    row("same", "https://cdn.test/get?film=1", "First"),
    row("same", "https://cdn.test/get?film=1", "Listed again"),
    row("same", "https://cdn.test/get?film=2", "Another film"),
    video("plain"),
    video("plain"),
  ]);
  await served(source);
  const { workspace, batch } = await dryRun(source);
  expect(await batch.until()).toMatchObject({ state: "scanned", counts: { total: 2, pending: 2 } });
  const { found, obstacles } = await reportOf(workspace, batch);
  expect(found.repeated).toBe(3);
  expect(obstacles).toEqual([
    { sourceId: "same", title: "Another film", code: "repeated", message: expect.stringContaining("`id`") },
  ]);
});

test("a source that would be changed by it is not asked for files", async () => {
  const source = new FakeSource(videos(60));
  Object.assign(source, { changesAtSource: true, needsRelease: true });
  source.before = (method, about) => {
    if (method === "describe" && about === "v0") source.videos = source.videos.filter(({ id }) => id !== "v0");
  };
  const { workspace, batch } = await dryRun(source);
  await batch.until();
  expect([source.countOf("resolve"), source.countOf("release"), source.countOf("describe")]).toEqual([0, 0, 50]);
  expect([...source.switched]).toEqual([]);
  const { sampled, obstacles } = await reportOf(workspace, batch);
  expect([sampled, obstacles.map(({ code }) => code)]).toEqual([50, ["video_gone"]]);
});

test("the sample is spread over the list, and one that the source never answers for is an obstacle", async () => {
  const source = new FakeSource(videos(500));
  source.pageSize = 250;
  Object.assign(source, { changesAtSource: true });
  source.before = (method, about) => {
    if (method === "describe" && about === "v250")
      throw new SourceFailure("source_unavailable", "The source does not answer.", { retryAfterMs: 1000 });
  };
  const { workspace, batch } = await dryRun(source);
  expect(await batch.until()).toMatchObject({ state: "scanned" });
  const asked = new Set(source.calls.flatMap(({ method, about }) => (method === "describe" ? [about] : [])));
  expect([...asked]).toEqual(Array.from({ length: 50 }, (_, n) => `v${n * 10}`));
  expect((await reportOf(workspace, batch)).obstacles).toMatchObject([
    { sourceId: "v250", code: "source_unavailable" },
  ]);
});

test("it is started once, without the videos that are left out", async () => {
  const { workspace, batch } = await dryRun(new FakeSource(videos(5)));
  await batch.until();
  const start = async () => {
    const body = { exclude: ["v1", "v3"] };
    const answer = await workspace.request("POST", `/v1/imports/${batch.id}/start`, body);
    return [answer.status, await answer.json()] as const;
  };
  expect(await start()).toMatchObject([
    200,
    { data: { status: "running", counts: { total: 5, pending: 3, skipped: 2 }, startedAt: expect.any(String) } },
  ]);
  const [code, refused] = (await start()) as [number, ErrorBody];
  expect([code, refused.error.description]).toEqual([409, "a batch that is running cannot do this: start"]);
  expect(await batch.finish()).toMatchObject({ state: "done", counts: { ready: 3, skipped: 2, failed: 0 } });
  expect(await batch.item("v1")).toMatchObject({ status: "excluded", mediaId: null });
  expect(await typesOf(batch.id)).toEqual(["started", "completed"]);
});

test("a mistyped id starts and retries nothing", async () => {
  const { workspace, batch } = await dryRun(new FakeSource(videos(2)));
  await batch.until();
  const refused = async (command: string, body: object) => {
    const answer = await workspace.request("POST", `/v1/imports/${batch.id}/${command}`, body);
    return [answer.status, (await answer.json<ErrorBody>()).error.fields];
  };
  const field = (name: string) => [422, [{ field: name, message: "is no item of this batch" }]];
  expect(await refused("start", { exclude: ["v1", "V1"] })).toEqual(field("exclude[1]"));
  expect(await refused("retry", { items: ["v9"] })).toEqual(field("items[0]"));
  expect(await batch.view()).toMatchObject({ state: "scanned", counts: { pending: 2 } });
});

test("the report says what the credentials lack, though the batch can run without it", async () => {
  const source = new FakeSource(videos(1));
  source.missing = [{ permission: "Write", message: "Files cannot be ordered.", isRequired: false }];
  const { workspace, batch } = await dryRun(source);
  await batch.until();
  const { missingPermissions } = await reportOf(workspace, batch);
  expect(missingPermissions).toEqual([{ permission: "Write", message: "Files cannot be ordered." }]);
});

test("a selection of ids, of dates and of a number is kept, and what it names and the source lacks is said", async () => {
  const day = (n: number) => `2025-01-0${n}T00:00:00.000Z`;
  const library = () => new FakeSource(videos(8, (n) => ({ createdAt: day(n + 1) })));
  const chosen = async (selection: Record<string, unknown>) => {
    const { batch } = await dryRun(library(), { selection });
    await batch.until();
    return (await batch.items()).map(({ sourceId, status }) => `${sourceId} ${status}`);
  };
  expect(await chosen({ ids: ["v5", "v2", "none", "v5"] })).toEqual(["v5 pending", "v2 pending", "none failed"]);
  expect(await chosen({ createdAfter: day(3), createdBefore: day(5) })).toEqual(["v2 pending", "v3 pending"]);
  expect(await chosen({ limit: 2 })).toEqual(["v0 pending", "v1 pending"]);
});

test("the report is also a table and one page, which need nothing else and have no address that opens a file", async () => {
  const title = `<script>alert("x")</script>, =HYPERLINK("http://a.test")`;
  const source = new FakeSource([video("v7", { title }), video("v1", { left: ["=1+1"] })]);
  await served(source);
  const { workspace, batch } = await dryRun(source);
  await batch.until();
  const table = await read(workspace, batch, "report?format=csv");
  const page = await read(workspace, batch, "report?format=html");
  const [csv, html] = [await table.text(), await page.text()];
  expect([table.headers.get("content-type"), page.headers.get("content-type")]).toEqual([
    expect.stringContaining("text/csv"),
    expect.stringContaining("text/html"),
  ]);
  expect(csv.split("\r\n")[0]).toBe("section,name,value,videos,examples");
  expect(csv).toContain("\r\nfound,videos,2,,\r\n");
  expect(csv).toContain("\r\nobstacle,v7,");
  expect(csv).toContain(`\r\nlost,'=1+1,`); // no spreadsheet runs it
  expect(html).toContain("&lt;script&gt;");
  expect(html).not.toMatch(/<script|src=|href=/);
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  for (const text of [csv, html, JSON.stringify(await reportOf(workspace, batch))])
    expect(text).not.toContain("very-secret");
});

test("the map has a row for each old playback ID, in three formats", async () => {
  const workspace = await newWorkspace();
  const ids = (...all: string[]) => all.map((id) => ({ id, policy: "public" as const }));
  const source = new FakeSource([
    video("two", { playbackIds: ids("a", "b") }),
    video("none", { playbackIds: [] }),
    video("bad", { playbackIds: ids("c"), obstacle: { code: "no_file", message: "There is none." } }),
  ]);
  const batch = await newBatch({ workspace, source });
  await batch.finish();
  const { mediaId, playbackId } = await batch.item("two");
  const { mediaId: otherMedia, playbackId: otherPlayback } = await batch.item("none");
  const bad = {
    sourceId: "bad",
    oldPlaybackId: "c",
    mediaId: null,
    playbackId: null,
    status: "failed",
    error: "no_file",
  };
  const rows = [
    ...["a", "b"].map((oldPlaybackId) => ({
      sourceId: "two",
      oldPlaybackId,
      mediaId,
      playbackId,
      status: "ready",
      error: null,
    })),
    {
      sourceId: "none",
      oldPlaybackId: null,
      mediaId: otherMedia,
      playbackId: otherPlayback,
      status: "ready",
      error: null,
    },
    bad,
  ];
  expect(await (await read(workspace, batch, "map.json")).json()).toEqual(
    rows.map((row) => expect.objectContaining(row)),
  );
  const bytes = await (await read(workspace, batch, "map.ndjson")).arrayBuffer();
  const lines = new TextDecoder().decode(bytes).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(rows);
  const csv = await read(workspace, batch, "map.csv");
  expect((await csv.text()).split("\r\n").slice(1, 3)).toEqual(
    ["a", "b"].map((old) => `two,${old},${mediaId},${playbackId},ready,`),
  );
  expect(csv.headers.get("content-disposition")).toBe(`attachment; filename="migration-${batch.id}.csv"`);
  expect((await read(await newWorkspace(), batch, "map.csv")).status).toBe(404);
});

test("a map of more items than a page has each once", async () => {
  const workspace = await newWorkspace();
  const source = new FakeSource(videos(1203, () => ({ obstacle: { code: "no_file", message: "There is none." } })));
  source.pageSize = 500;
  const batch = await newBatch({ workspace, source });
  expect(await batch.until()).toMatchObject({ state: "done", counts: { failed: 1203 } });
  const rows = await (await read(workspace, batch, "map.json")).json<{ sourceId: string }[]>();
  expect(rows.map(({ sourceId }) => sourceId)).toEqual(source.videos.map(({ id }) => id));
});

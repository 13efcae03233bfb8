/** How much a batch and a workspace may have. */
import { env } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { importCredentials } from "../../../src/imports/credentials/tables.ts";
import { workspaceUsage } from "../../../src/tenancy/limits/index.ts";
import { openDatabase } from "../../../src/platform/database.ts";
import { type ErrorBody, newWorkspace, type TestWorkspace } from "../workspace.ts";
import { newBatch } from "./batch-bench.ts";
import { mediaOf } from "./batch-facts.ts";
import { FakeSource, video, videos } from "./fake-source.ts";

const db = openDatabase(env.DB);
const SOURCE = { source: { type: "list", items: [{ id: "a", url: "https://cdn.test/a.mp4" }] }, dryRun: true };
const MUX = { source: { type: "mux" }, dryRun: true, credentials: { tokenId: "id", tokenSecret: "secret" } };

async function create(workspace: TestWorkspace, body: object) {
  const answer = await workspace.request("POST", "/v1/imports", body);
  const { data, error } = await answer.json<{ data?: { id: string } } & Partial<ErrorBody>>();
  return { status: answer.status, id: data?.id ?? "", error };
}
const listed = async (workspace: TestWorkspace) =>
  (await (await workspace.request("GET", "/v1/imports?limit=50")).json<{ data: { id: string }[] }>()).data;
const credentialsOf = (workspace: TestWorkspace) =>
  db.select().from(importCredentials).where(eq(importCredentials.workspaceId, workspace.id));

test("an eleventh open batch is refused, however many are asked for at once, and leaves no credentials", async () => {
  const workspace = await newWorkspace();
  const answers = await Promise.all(Array.from({ length: 13 }, () => create(workspace, MUX)));
  expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
    ...Array<number>(10).fill(201),
    400,
    400,
    400,
  ]);
  expect(answers.find(({ status }) => status === 400)!.error).toMatchObject({
    code: 400,
    description: expect.stringContaining("at most 10 batches that have not ended, dry runs included"),
  });
  expect(await listed(workspace)).toHaveLength(10);
  expect(await credentialsOf(workspace)).toHaveLength(10);
});

test("a batch whose credentials find no room is refused for that reason", async () => {
  const workspace = await newWorkspace();
  const row = { workspaceId: workspace.id, source: "mux" as const, sealed: "k1.", fields: [], keep: true };
  for (let n = 0; n < 100; n++)
    await db.insert(importCredentials).values({ ...row, id: crypto.randomUUID(), createdAt: new Date() });
  const { status, error } = await create(workspace, MUX);
  expect([status, error?.message]).toEqual([400, "import credential limit reached"]);
  expect(await listed(workspace)).toEqual([]);
  expect((await create(workspace, SOURCE)).status).toBe(201);
});

test("a batch that ends makes room for another one", async () => {
  const workspace = await newWorkspace();
  const batch = await newBatch({ workspace, source: new FakeSource(videos(1)), dryRun: true });
  for (let n = 0; n < 9; n++) expect((await create(workspace, SOURCE)).status).toBe(201);
  expect((await create(workspace, SOURCE)).status).toBe(400);
  await batch.until();
  await batch.command({ name: "cancel" });
  await batch.until();
  expect((await create(workspace, SOURCE)).status).toBe(201);
});

test("a workspace that has as many media as it may pauses the batch, which goes on where it was once there is room", async () => {
  const workspace = await newWorkspace();
  const limits = { MAX_WORKSPACE_MEDIA: "7" };
  const batch = await newBatch({ workspace, source: new FakeSource(videos(20)), env: limits });
  const paused = await batch.finish();
  expect(paused).toMatchObject({
    state: "paused",
    problem: { code: "media_limit_reached", message: "a workspace has at most 7 media" },
    counts: { ready: 7, pending: 13, failed: 0 },
  });
  limits.MAX_WORKSPACE_MEDIA = "100";
  batch.restart();
  await batch.command({ name: "resume", credentialId: null });
  expect(await batch.finish()).toMatchObject({ state: "done", problem: null, counts: { ready: 20, failed: 0 } });
  expect(await mediaOf(workspace.id)).toHaveLength(20);
});

test("a workspace that stores as much as it may pauses the batch, too", async () => {
  const workspace = await newWorkspace();
  await db.insert(workspaceUsage).values({ workspaceId: workspace.id, storedBytes: 2 ** 50 });
  const batch = await newBatch({ workspace, source: new FakeSource(videos(3)) });
  expect(await batch.finish()).toMatchObject({ state: "paused", problem: { code: "storage_limit_reached" } });
});

/** A list as long as wanted, in pages that are made when they are asked for. */
function endless(total: number, pageSize: number): FakeSource {
  const source = new FakeSource([]);
  source.page = (cursor) => {
    const at = Number(cursor ?? 0);
    const count = Math.min(pageSize, total - at);
    const page = Array.from({ length: count }, (_, n) => video(`v${at + n}`, { obstacle: NONE, playbackIds: [] }));
    return { videos: page, next: at + count < total ? String(at + count) : null };
  };
  return source;
}
const NONE = { code: "no_file", message: "There is no file." } as const;

test("a batch takes 500,000 videos, and says that there are more", { tags: ["full"], timeout: 600_000 }, async () => {
  const batch = await newBatch({ workspace: await newWorkspace(), source: endless(500_500, 1000), dryRun: true });
  expect(await batch.until()).toMatchObject({
    state: "scanned",
    counts: { total: 500_000, failed: 500_000 },
    problem: { code: "item_limit_reached" },
  });
});

test("a list of exactly as many as a batch may have is whole", { tags: ["full"], timeout: 600_000 }, async () => {
  const batch = await newBatch({ workspace: await newWorkspace(), source: endless(500_000, 1000), dryRun: true });
  expect(await batch.until()).toMatchObject({ state: "scanned", counts: { total: 500_000 }, problem: null });
});

test("a turn stays far below the subrequests of an invocation, whatever is due", async () => {
  const workspace = await newWorkspace();
  const source = new FakeSource(
    videos(150, () => ({ chapters: [{ startMs: 0, title: "One" }], captions: null, policy: "private" })),
  );
  source.pace.concurrency = 32;
  source.listIsPartial = true;
  const self = { fetch: async () => new Response("a.m3u8") } as unknown as Fetcher; // plays all the way
  const batch = await newBatch({ workspace, source, self });
  // A turn that made more than 1,000 would fail.
  expect(await batch.finish()).toMatchObject({ state: "done", problem: null, counts: { ready: 150, failed: 0 } });
});

test("media in preparation are bounded by the encoders", async () => {
  const workspace = await newWorkspace();
  const encoders = { ENCODER_CONTAINERS: "5" };
  const batch = await newBatch({ workspace, source: new FakeSource(videos(60)), env: encoders });
  const begunAtMs = batch.nowMs;
  let most = 0;
  await batch.until(({ counts }) => {
    most = Math.max(most, counts.submitted);
    return batch.nowMs - begunAtMs > 30_000;
  });
  expect(most).toBe(20);
  expect(await batch.finish()).toMatchObject({ state: "done", counts: { ready: 60 } });
});

test("files that the source prepares are bounded by its concurrency, and nothing waits in a busy loop", async () => {
  const workspace = await newWorkspace();
  const source = new FakeSource(videos(100));
  source.pace.concurrency = 4;
  let preparing = 0;
  let most = 0;
  source.file = ({ id }, state) => {
    preparing += state === null ? 1 : 0;
    most = Math.max(most, preparing);
    if (state === null || (state["asked"] as number) < 3)
      return { status: "waiting", retryAfterMs: 10_000, state: { asked: Number(state?.["asked"] ?? 0) + 1 } };
    preparing -= 1;
    return { status: "ready", url: `https://cdn.test/${id}.mp4`, expiresAtMs: null };
  };
  const batch = await newBatch({ workspace, source });
  const begunAtMs = batch.nowMs;
  let turns = 0;
  const shown = new Set<number>();
  const turn = batch.turn.bind(batch);
  batch.turn = async () => {
    turns += 1;
    await turn();
    const { preparedAtSource } = await batch.view();
    expect(preparedAtSource).toBe(preparing);
    shown.add(preparedAtSource);
  };
  expect(await batch.finish()).toMatchObject({ state: "done", preparedAtSource: 0, counts: { ready: 100 } });
  expect(most).toBe(16);
  expect(Math.max(...shown)).toBe(16);
  expect(turns).toBeLessThan((batch.nowMs - begunAtMs) / 500);
});

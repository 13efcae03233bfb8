/** What a batch announces: to webhooks of its workspace, and to its own. */
import { env } from "cloudflare:test";
import { beforeEach, expect, test } from "vitest";
import { migrationKinds } from "../../../src/events/catalogue/migration.ts";
import { sweepImports } from "../../../src/imports/batches/sweep-batches.ts";
import { SourceFailure } from "../../../src/imports/sources/source.ts";
import { bytesOf, createWebhook, hmac, receiverUrl, seenAt, type Webhook } from "../events/webhooks/webhook-helpers.ts";
import { type ErrorBody, newWorkspace, type TestWorkspace } from "../workspace.ts";
import { BatchBench, newBatch } from "./batch-bench.ts";
import { eventsOf, typesOf } from "./batch-facts.ts";
import { FakeSource, video, videos } from "./fake-source.ts";

let workspace: TestWorkspace;
beforeEach(async () => {
  workspace = await newWorkspace();
});

test("started, progress at most once a minute, and completed once, each as the catalogue describes it", async () => {
  const batch = await newBatch({ workspace, source: new FakeSource(videos(60)), kind: "s3" });
  let isDone = false;
  await batch.until(async () => {
    // One of a few media becomes ready at each look.
    const [next] = await batch.inside(({ items }) => items.page({ status: "submitted", after: 0, limit: 1 }));
    if (next !== undefined) await batch.readyAll();
    isDone = (await batch.view()).state === "done";
    if (!isDone) batch.nowMs += 7_000;
    return false;
  });
  const sent = await eventsOf(batch.id);
  expect(sent.map(({ type }) => type).filter((type) => type !== "progress")).toEqual(["started", "completed"]);
  for (const { type, data } of sent)
    migrationKinds[`migration.batch.${type}` as keyof typeof migrationKinds].data.parse(data);
  expect(sent[0]!.data).toMatchObject({ batchId: batch.id, source: "s3", status: "running", counts: { total: 60 } });
  expect(sent.at(-1)!.data).toMatchObject({
    status: "done",
    counts: { total: 60, ready: 60, failed: 0 },
    failedItems: [],
    failedItemsTotal: 0,
    reportUrl: `http://sluice.test/v1/imports/${batch.id}/report`,
  });
});

test("progress comes once a minute while counts change, and not while they do not", async () => {
  const batch = await newBatch({ workspace, source: new FakeSource(videos(30)) });
  const atMs: number[] = [];
  const endMs = batch.nowMs + 140_000;
  const until = (ms: number, isChanging: boolean) =>
    batch.until(async ({ counts }) => {
      if (isChanging && counts.submitted > 4) await batch.readyOne();
      const seen = (await typesOf(batch.id)).filter((type) => type === "progress").length;
      if (seen > atMs.length) atMs.push(batch.nowMs);
      batch.nowMs += 5_000;
      return batch.nowMs >= ms;
    });
  await until(endMs, true);
  expect(atMs.length).toBeGreaterThanOrEqual(2);
  await until(endMs + 70_000, false);
  const settled = atMs.length; // with what changed last
  await until(endMs + 300_000, false);
  expect(atMs).toHaveLength(settled);
  for (const [n, at] of atMs.entries()) if (n > 0) expect(at - atMs[n - 1]!).toBeGreaterThanOrEqual(60_000);
});

test("a retry is no second completed: its end is told as progress, a minute after the event before", async () => {
  const batch = await newBatch({ workspace, source: new FakeSource(videos(2)) });
  await batch.until(({ counts }) => counts.submitted === 2);
  await batch.failAll("not_a_video");
  await batch.until();
  const completedAtMs = batch.nowMs;
  await batch.command({ name: "retry", items: null });
  await batch.finish();
  const sent = await eventsOf(batch.id);
  expect(sent.map(({ type }) => type)).toEqual(["started", "completed", "progress"]);
  expect(sent[2]!.data).toMatchObject({ status: "done", counts: { ready: 2, failed: 0 } });
  expect(batch.nowMs - completedAtMs).toBeGreaterThanOrEqual(60_000);
});

test("the completed event has the first 100 failed items and their number, and no address that opens a file", async () => {
  const signed = "https://cdn.test/a.mp4?X-Amz-Signature=very-secret";
  const source = new FakeSource([
    ...videos(120, () => ({
      obstacle: { code: "no_file", message: "There is no file." },
      ref: { url: signed },
    })),
    video("unreachable", { ref: { url: signed } }),
  ]);
  source.before = (method) => {
    if (method === "resolve") throw new SourceFailure("no_file", "There is no file.");
  };
  const batch = await newBatch({ workspace, source });
  await batch.finish();
  const { data } = (await eventsOf(batch.id)).at(-1)!;
  const failed = data["failedItems"] as object[];
  expect([failed.length, data["failedItemsTotal"]]).toEqual([100, 121]);
  expect(failed[0]).toEqual({
    sourceId: "v0",
    sourceUrl: "https://cdn.test/a.mp4",
    error: { code: "no_file", message: "There is no file." },
  });
  const all = JSON.stringify([await eventsOf(batch.id), await batch.items(), await batch.row()]);
  expect(all).not.toContain("very-secret");
});

test("a batch without videos starts and completes", async () => {
  const batch = await newBatch({ workspace, source: new FakeSource([]) });
  expect(await batch.finish()).toMatchObject({ state: "done", counts: { total: 0 } });
  expect(await typesOf(batch.id)).toEqual(["started", "completed"]);
});

test("a database that fails while an event is written gets it later, once", async () => {
  const batch = await newBatch({ workspace, source: new FakeSource(videos(2)) });
  const project = batch.project;
  let failures = 0;
  batch.project = async (...given) => {
    if (failures++ % 2 === 0) throw new Error("D1 does not answer");
    await project(...given);
    if (failures < 6) throw new Error("the answer was lost");
  };
  await batch.finish();
  expect(await typesOf(batch.id)).toEqual(["started", "completed"]);
  expect(await batch.row()).toMatchObject({ state: "done", counts: { ready: 2 } });
});

interface Created {
  id: string;
  statusWebhook?: { id: string; secret: string };
}

const create = (more: object, headers: Record<string, string> = {}) =>
  workspace.request("POST", "/v1/imports", { source: LIST, dryRun: true, ...more }, headers);
const LIST = { type: "list", items: [{ id: "a", url: "https://cdn.test/a.mp4" }] };

/** A batch of the API over a source in memory, with a webhook of its own. */
async function withStatusUrl(statusUrl: string): Promise<{ created: Created; batch: BatchBench }> {
  const batch = new BatchBench({ workspace, source: new FakeSource(videos(2)), kind: "list" });
  const answer = await create({ statusUrl });
  const { data } = await answer.json<{ data: Created }>();
  return { created: data, batch: await batch.takeOver(data.id) };
}

const eventsAt = async (url: string) =>
  (await seenAt(url)).filter(({ body }) => body !== "" && body !== "{}" && "type" in (JSON.parse(body) as object));

test("statusUrl gets this batch's events alone, signed with a secret that the 201 shows once", async () => {
  const [url, elsewhere] = [receiverUrl(), receiverUrl()];
  const hook = await createWebhook(workspace, { url: elsewhere, eventTypes: ["migration.batch.completed"] });
  const { created, batch } = await withStatusUrl(url);
  const { secret, id: webhookId } = created.statusWebhook!;
  expect(bytesOf(secret)).toHaveLength(32);
  await batch.until();
  await batch.command({ name: "start", exclude: [] });
  await batch.finish();
  const other = await newBatch({ workspace, source: new FakeSource([video("of another batch")]) });
  await other.finish();
  await expect.poll(async () => (await eventsAt(elsewhere)).length).toBe(2);
  await expect.poll(async () => (await eventsAt(url)).length).toBe(2);
  const received = await eventsAt(url);
  expect(received.map(({ body }) => (JSON.parse(body) as { type: string }).type).toSorted()).toEqual([
    "migration.batch.completed",
    "migration.batch.started",
  ]);
  for (const { body, headers } of received) {
    expect(JSON.parse(body)).toMatchObject({ object: { id: batch.id, type: "migration_batch" } });
    expect(Object.values(headers)).toContain(await hmac(secret, body));
  }
  const text = await (await workspace.request("GET", `/v1/imports/${batch.id}`)).text();
  expect([text.includes(secret), text.includes("statusWebhook")]).toEqual([false, false]);

  const listed = await (
    await workspace.request("GET", "/v1/webhooks")
  ).json<{
    data: Webhook[];
    pagination: { totalRecords: number };
  }>();
  expect([listed.data.map(({ id }) => id), listed.pagination.totalRecords]).toEqual([[hook.id], 1]);
  expect(webhookId).not.toBe(hook.id);
});

test("a repeat with the same Idempotency-Key gets the same secret, and makes no second batch", async () => {
  const statusUrl = receiverUrl();
  const send = async (key: string) =>
    (await (await create({ statusUrl }, { "idempotency-key": key })).json<{ data: Created }>()).data;
  const [first, repeat, other] = [await send("one"), await send("one"), await send("two")];
  expect(repeat).toEqual(first);
  expect([other.id === first.id, other.statusWebhook!.secret === first.statusWebhook!.secret]).toEqual([false, false]);
});

test.each([
  ["does not answer 2xx", () => receiverUrl("/status/500"), "statusUrl"],
  ["is no URL", () => "nowhere", "statusUrl"],
])("a statusUrl that %s is refused by its name, and there is no batch", async (_, url, field) => {
  const owner = await newWorkspace();
  const body = { source: LIST, dryRun: true, statusUrl: url() };
  const answer = await owner.request("POST", "/v1/imports", body);
  const { error } = await answer.json<ErrorBody>();
  expect([answer.status, error.fields?.map((issue) => issue.field)]).toEqual([422, [field]]);
  expect((await (await owner.request("GET", "/v1/imports")).json<{ data: unknown[] }>()).data).toEqual([]);
});

test("the webhook of a batch goes with it, after 90 days", async () => {
  const { batch, created } = await withStatusUrl(receiverUrl());
  await batch.command({ name: "cancel" });
  await batch.finish();
  const path = `/v1/webhooks/${created.statusWebhook!.id}`;
  expect((await workspace.request("GET", path)).status).toBe(200);
  await sweepImports(env, new Date(batch.nowMs + 91 * 24 * 3600_000));
  expect((await workspace.request("GET", path)).status).toBe(404);
  expect((await workspace.request("GET", `/v1/imports/${batch.id}`)).status).toBe(404);
});

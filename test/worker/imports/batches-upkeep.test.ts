/** What the cron does for batches, by the time that has passed. */
import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { sweepImports } from "../../../src/imports/batches/sweep-batches.ts";
import { newWorkspace } from "../workspace.ts";
import { type BatchBench, newBatch } from "./batch-bench.ts";
import { mediaOf, oldIdsOf, typesOf } from "./batch-facts.ts";
import { FakeSource, videos } from "./fake-source.ts";

const DAY_MS = 24 * 3600_000;

/** The cron runs, by the batch's clock. */
async function sweptAfter(batch: BatchBench, days: number): Promise<void> {
  batch.nowMs += days * DAY_MS;
  await sweepImports(env, new Date(batch.nowMs));
}

test("a batch that ended 90 days ago is forgotten; its media, its claims and its old addresses stay", async () => {
  const workspace = await newWorkspace();
  const batch = await newBatch({ workspace, source: new FakeSource(videos(2)) });
  await batch.finish();
  const path = `/v1/imports/${batch.id}`;
  await sweptAfter(batch, 89);
  expect((await workspace.request("GET", `${path}/items`)).status).toBe(200);
  await sweptAfter(batch, 2);
  for (const rest of ["", "/items", "/report", "/map.csv"])
    expect((await workspace.request("GET", path + rest)).status).toBe(404);
  expect(await mediaOf(workspace.id)).toHaveLength(2);
  expect(Object.keys(await oldIdsOf(workspace.id))).toHaveLength(2);
  const again = await newBatch({ workspace, source: new FakeSource(videos(2)) });
  expect(await again.finish()).toMatchObject({ counts: { skipped: 2, ready: 0 } });
});

test("a batch that was forgotten has nothing left in its object", async () => {
  const batch = await newBatch({ workspace: await newWorkspace(), source: new FakeSource(videos(2)) });
  await batch.finish();
  await sweptAfter(batch, 91);
  batch.restart();
  expect(await batch.items()).toEqual([]);
  expect(await batch.nextMs()).toBeNull();
});

test("a batch that was retried is kept from its last end on", async () => {
  const workspace = await newWorkspace();
  const batch = await newBatch({ workspace, source: new FakeSource(videos(1)) });
  await batch.until(({ counts }) => counts.submitted === 1);
  await batch.failAll("not_a_video");
  await batch.until();
  batch.nowMs += 60 * DAY_MS;
  await batch.command({ name: "retry", items: null });
  await batch.finish();
  await sweptAfter(batch, 89);
  expect((await workspace.request("GET", `/v1/imports/${batch.id}`)).status).toBe(200);
});

test("a batch that has not ended is never forgotten", async () => {
  const workspace = await newWorkspace();
  const batch = await newBatch({ workspace, source: new FakeSource(videos(1)) });
  await batch.command({ name: "pause" });
  await batch.until();
  await sweptAfter(batch, 400);
  expect(await batch.view()).toMatchObject({ state: "paused" });
  expect((await workspace.request("GET", `/v1/imports/${batch.id}`)).status).toBe(200);
});

test("a dry run that nobody starts is cancelled after 30 days, and completes", async () => {
  const batch = await newBatch({ workspace: await newWorkspace(), source: new FakeSource(videos(2)), dryRun: true });
  await batch.until();
  await sweptAfter(batch, 29);
  expect(await batch.view()).toMatchObject({ state: "scanned" });
  await sweptAfter(batch, 2);
  expect(await batch.until()).toMatchObject({ state: "cancelled", counts: { failed: 2 } });
  expect(await typesOf(batch.id)).toEqual(["completed"]);
  expect((await batch.row()).completedAt).not.toBeNull();
});

/** A batch whose process ends at any write loses nothing and makes nothing twice. */
import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { sweepImports } from "../../../src/imports/batches/sweep-batches.ts";
import { newWorkspace } from "../workspace.ts";
import { BatchBench, newBatch } from "./batch-bench.ts";
import { mediaOf, oldIdsOf, typesOf } from "./batch-facts.ts";
import { FakeSource, videos } from "./fake-source.ts";

/** True for the nth statement that matches and has one of these values. */
function nth(count: number, statement: RegExp, value?: string) {
  let seen = 0;
  return (text: string, values: readonly unknown[]) =>
    statement.test(text) && (value === undefined || values.includes(value)) && ++seen === count;
}

const SET = /^UPDATE items SET .*status = \?/;

test.each([
  ["in the middle of a page of the scan", nth(13, /^INSERT INTO items/)],
  ["before the place of the scan is stored", nth(2, /^kv scan/)],
  ["when the scan ends", nth(1, /^kv data/)],
  ["before a media is created", nth(3, SET, "submitting")],
  ["after a media was created, before its row says so", nth(2, SET, "submitted")],
  ["when a ready media was verified", nth(4, SET, "ready")],
  ["when it is done", nth(1, /^kv completedAtMs/)],
  ["before its messages are removed that D1 has", nth(1, /^DELETE FROM outbox/)],
] as const)("a process that ends %s", async (_, dies) => {
  const workspace = await newWorkspace();
  const batch = await newBatch({ workspace, source: new FakeSource(videos(25)) });
  batch.dies = dies;
  await batch.finish().catch((error: unknown) => expect(error).toMatchObject({ message: "the process has ended" }));
  expect(batch.isDead).toBe(true);
  batch.dies = () => false;
  batch.restart();
  expect(await batch.finish()).toMatchObject({
    state: "done",
    counts: { total: 25, ready: 25, failed: 0, skipped: 0, pending: 0, submitted: 0 },
  });
  expect(await mediaOf(workspace.id)).toHaveLength(25);
  const items = await batch.items();
  expect(await oldIdsOf(workspace.id)).toEqual(
    Object.fromEntries(items.map(({ oldPlaybackIds, mediaId }) => [oldPlaybackIds[0], mediaId])),
  );
  expect((await typesOf(batch.id)).filter((type) => type !== "progress")).toEqual(["started", "completed"]);
});

test("a media that was created before the end of the process is adopted, also by a batch that is cancelled then", async () => {
  const workspace = await newWorkspace();
  const batch = await newBatch({ workspace, source: new FakeSource(videos(3)) });
  await batch.dieAt(nth(1, SET, "submitted"));
  const made = await mediaOf(workspace.id);
  expect(made.length).toBeGreaterThan(0);
  await batch.command({ name: "cancel" });
  expect(await batch.finish()).toMatchObject({
    state: "cancelled",
    counts: { ready: made.length, failed: 3 - made.length },
  });
  expect(
    (await batch.items())
      .filter(({ status }) => status === "ready")
      .map(({ mediaId }) => mediaId ?? "")
      .toSorted(),
  ).toEqual(made.map(({ id }) => id).toSorted());
});

/** By the real object and the real clock. */
const sweptLater = () => sweepImports(env, new Date(Date.now() + 5 * 60_000));

test("the sweep begins a batch whose first call was lost", async () => {
  const bench = new BatchBench({ workspace: await newWorkspace(), source: new FakeSource(videos(2)) });
  await bench.insert();
  await bench.inside(() => undefined); // the object exists, and knows of no order
  expect(await bench.nextMs()).toBeNull();
  await sweptLater();
  expect(await bench.finish()).toMatchObject({ state: "done", counts: { ready: 2 } });
});

test("the sweep wakes a batch whose alarm was lost", async () => {
  const bench = await newBatch({ workspace: await newWorkspace(), source: new FakeSource(videos(2)) });
  await bench.until(({ state }) => state === "running");
  bench.nowMs += 3600_000; // its timers are due, and no alarm comes
  bench.alarmMs = null;
  await sweptLater();
  expect(bench.alarmMs).toBeLessThanOrEqual(bench.nowMs);
  expect(await bench.finish()).toMatchObject({ state: "done", counts: { ready: 2 } });
});

test("the sweep has a lost record of a paused batch written", async () => {
  const bench = await newBatch({ workspace: await newWorkspace(), source: new FakeSource(videos(2)) });
  await bench.until(({ state }) => state === "running");
  await bench.turn();
  await bench.command({ name: "pause" });
  bench.restart(); // without its alarm
  bench.alarmMs = null;
  expect(await bench.row()).toMatchObject({ state: expect.not.stringMatching("paused") });
  await sweptLater();
  expect(bench.alarmMs).not.toBeNull();
  await bench.turn();
  expect(await bench.row()).toMatchObject({ state: "paused" });
});

test("a command that comes before the first call begins the batch", async () => {
  const bench = new BatchBench({ workspace: await newWorkspace(), source: new FakeSource(videos(2)) });
  await bench.insert();
  expect(await bench.command({ name: "pause" })).toMatchObject({ state: "paused" });
  expect(await bench.command({ name: "resume", credentialId: null })).toMatchObject({ state: "scanning" });
  expect(await bench.finish()).toMatchObject({ state: "done", counts: { ready: 2 } });
});

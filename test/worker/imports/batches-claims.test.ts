/** No video twice: claims of repeated batches, of batches at once, and of other workspaces. */
import { expect, test } from "vitest";
import { newWorkspace } from "../workspace.ts";
import { newBatch } from "./batch-bench.ts";
import { mediaOf, oldIdsOf } from "./batch-facts.ts";
import { FakeSource, video, videos } from "./fake-source.ts";

const SKIPPED = { status: "skipped", error: { code: "already_imported" } };

test("a repeated batch skips what the first has made, with its ids, and takes what is new", async () => {
  const workspace = await newWorkspace();
  const first = await newBatch({ workspace, source: new FakeSource(videos(25)) });
  expect(await first.finish()).toMatchObject({
    state: "done",
    counts: { total: 25, ready: 25, failed: 0, skipped: 0 },
  });
  const made = await first.items();
  const second = await newBatch({ workspace, source: new FakeSource(videos(26)) });
  expect(await second.finish()).toMatchObject({ state: "done", counts: { total: 26, ready: 1, skipped: 25 } });
  for (const { sourceId, mediaId, playbackId } of made)
    expect(await second.item(sourceId)).toMatchObject({ ...SKIPPED, mediaId, playbackId });
  expect(await mediaOf(workspace.id)).toHaveLength(26);
});

test("of two batches that submit the same video at once, one makes it, and the other skips it at no cost of attempts", async () => {
  const workspace = await newWorkspace();
  const [one, other] = [
    await newBatch({ workspace, source: new FakeSource(videos(3)) }),
    await newBatch({ workspace, source: new FakeSource(videos(3)) }),
  ];
  // The other one has made its media after this one has looked for claims, and before it creates its own.
  one.source.pace.concurrency = 1;
  let isFirst = true;
  one.source.before = async (method) => {
    if (method !== "resolve" || !isFirst) return;
    isFirst = false;
    await other.finish();
  };
  expect(await one.finish()).toMatchObject({
    state: "done",
    problem: null,
    counts: { ready: 0, skipped: 3, failed: 0 },
  });
  for (const { sourceId, mediaId } of await other.items())
    expect(await one.item(sourceId)).toMatchObject({ ...SKIPPED, mediaId });
  expect(await mediaOf(workspace.id)).toHaveLength(3);
  expect(one.source.countOf("resolve")).toBe(3);
});

test("a video whose media was deleted comes again, and its old playback ID with it", async () => {
  const workspace = await newWorkspace();
  const first = await newBatch({ workspace, source: new FakeSource(videos(2)) });
  await first.finish();
  const { mediaId: former } = await first.item("v0");
  expect((await workspace.request("DELETE", `/v1/on-demand/${former}`)).status).toBe(200);
  expect(Object.keys(await oldIdsOf(workspace.id))).toEqual(["old-v1"]);
  const again = await newBatch({ workspace, source: new FakeSource(videos(2)) });
  expect(await again.finish()).toMatchObject({ counts: { ready: 1, skipped: 1 } });
  const { mediaId } = await again.item("v0");
  expect(mediaId).not.toBe(former);
  expect(await oldIdsOf(workspace.id)).toMatchObject({ "old-v0": mediaId });
});

test("a named item that was skipped is tried again once its media was deleted", async () => {
  const workspace = await newWorkspace();
  const first = await newBatch({ workspace, source: new FakeSource(videos(1)) });
  await first.finish();
  const second = await newBatch({ workspace, source: new FakeSource(videos(1)) });
  await second.finish();
  await second.command({ name: "retry", items: ["v0"] });
  expect(await second.finish()).toMatchObject({ state: "done", counts: { skipped: 1, ready: 0 } });
  await workspace.request("DELETE", `/v1/on-demand/${(await first.item("v0")).mediaId}`);
  await second.command({ name: "retry", items: ["v0"] });
  expect(await second.finish()).toMatchObject({ state: "done", counts: { skipped: 0, ready: 1 } });
});

test("two workspaces have the same video and the same old playback ID, each its own media", async () => {
  const [here, there] = [await newWorkspace(), await newWorkspace()];
  for (const workspace of [here, there]) {
    const batch = await newBatch({ workspace, source: new FakeSource(videos(1)) });
    expect(await batch.finish()).toMatchObject({ counts: { ready: 1 } });
    expect(await oldIdsOf(workspace.id)).toEqual({ "old-v0": (await batch.item("v0")).mediaId });
  }
});

test("the first video of a workspace that claims an old playback ID keeps it", async () => {
  const workspace = await newWorkspace();
  const playbackIds = ["shared", "further"].map((id) => ({ id, policy: "public" as const }));
  const source = new FakeSource([video("first", { playbackIds }), video("second", { playbackIds: [playbackIds[0]!] })]);
  source.pace.concurrency = 1;
  const batch = await newBatch({ workspace, source });
  expect(await batch.finish()).toMatchObject({ counts: { ready: 2 } });
  const { mediaId } = await batch.item("first");
  expect(await oldIdsOf(workspace.id)).toEqual({ shared: mediaId, further: mediaId });
});

test("a video of another account at the same source is another video", async () => {
  const workspace = await newWorkspace();
  await (await newBatch({ workspace, source: new FakeSource(videos(1)) })).finish();
  const source = new FakeSource(videos(1));
  source.account = "another account";
  const batch = await newBatch({ workspace, source });
  expect(await batch.finish()).toMatchObject({ counts: { ready: 1, skipped: 0 } });
});

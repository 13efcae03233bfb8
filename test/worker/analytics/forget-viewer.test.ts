/** `DELETE /v1/data/viewers/{viewerId}`. */
import { env, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { beforeEach, expect, test, vi } from "vitest";
import { monthOf } from "../../../src/analytics/store/months.ts";
import { eventsOf } from "../events/webhooks/webhook-rows.ts";
import { newAsset } from "../playback/playable.ts";
import { newWorkspace, send, type TestWorkspace } from "../workspace.ts";
import { dataOf, elapse, sendView, storeView, TestPlayer } from "./beacon-helpers.ts";

const DAY_MS = 24 * 3600_000;
const secondsAgo = (seconds: number) => Date.now() - seconds * 1000;

let workspace: TestWorkspace;
let viewerId: string;
beforeEach(async () => {
  workspace = await newWorkspace();
  viewerId = `viewer/${crypto.randomUUID()} ü`;
});

interface Forgotten {
  deletedViews: number;
  remainingViews: number;
}
const forget = async (of: TestWorkspace, id = viewerId): Promise<Forgotten> => {
  const answer = await of.request("DELETE", `/v1/data/viewers/${encodeURIComponent(id)}`);
  expect(answer.status).toBe(200);
  return (await answer.json<{ data: Forgotten }>()).data;
};
const idsOf = async (of: TestWorkspace) => {
  const now = Math.ceil(Date.now() / 1000);
  const span = `timespan[]=${now - 99 * 86_400}&timespan[]=${now}`;
  const views = await dataOf<{ viewId: string }[]>(of, `viewlist?limit=50&${span}`);
  return views.map(({ viewId }) => viewId).toSorted();
};
const machineOf = (viewId: string) => env.VIEW_MACHINE.get(env.VIEW_MACHINE.idFromName(`${workspace.id}:${viewId}`));
const storeOf = (atMs: number) => env.VIEW_STORE.get(env.VIEW_STORE.idFromName(`${workspace.id}:${monthOf(atMs)}`));

test("all views of the viewer are deleted, in all months and by both ids, and no others", async () => {
  const others: string[] = [];
  // 31 days ago was always another month.
  for (const daysAgo of [95, 60, 31, 0]) {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - daysAgo * DAY_MS });
    await storeView(workspace.id, "mine", { viewer_id: viewerId, brand_viewer_id: "cookie" });
    await storeView(workspace.id, "mine too", { brand_viewer_id: viewerId });
    others.push(await storeView(workspace.id, "another's", { viewer_id: `${viewerId}2`, brand_viewer_id: "cookie" }));
    others.push(await storeView(workspace.id, "nobody's"));
    vi.useRealTimers();
  }
  expect(await idsOf(workspace)).toHaveLength(16);
  expect(await forget(workspace)).toEqual({ deletedViews: 8, remainingViews: 0 });
  expect(await idsOf(workspace)).toEqual(others.toSorted());
  expect(await forget(workspace)).toEqual({ deletedViews: 0, remainingViews: 0 });
  const timelines = await runInDurableObject(storeOf(Date.now()), (_, { storage }) =>
    storage.sql.exec("SELECT view_id FROM timelines").toArray(),
  );
  expect(timelines).toHaveLength(2);
});

test("the same id in another workspace is another viewer", async () => {
  const stranger = await newWorkspace();
  const theirs = await storeView(stranger.id, "theirs", { viewer_id: viewerId });
  const mine = await storeView(workspace.id, "mine", { viewer_id: viewerId });
  expect(await forget(workspace)).toEqual({ deletedViews: 1, remainingViews: 0 });
  expect(await idsOf(stranger)).toEqual([theirs]);
  expect(await idsOf(workspace)).not.toContain(mine);
});

test("a running view loses its state, and later reports of its player do not recreate it", async () => {
  const { playbackId } = await newAsset({ status: "ready", workspaceId: workspace.id });
  const player = new TestPlayer(workspace.id);
  const source = { viid: viewerId, vdsour: `https://stream.example.com/${playbackId}.m3u8` };
  const [begin, ...later] = player.completeView(secondsAgo(10), source);
  await sendView(workspace.id, [begin!]);
  expect(await idsOf(workspace)).toEqual([player.viewId]);
  expect(await forget(workspace)).toEqual({ deletedViews: 1, remainingViews: 0 });
  await sendView(workspace.id, [begin!, ...later]);
  await elapse(workspace.id, player.viewId, 3600_000);
  expect(await idsOf(workspace)).toEqual([]);
  expect(await eventsOf(player.viewId)).toEqual([]);
  const left = await runInDurableObject(machineOf(player.viewId), ({ components }, { storage }) => [
    components.events.count,
    [...storage.kv.list()].map(([key]) => key),
  ]);
  expect(left).toEqual([0, ["data"]]);
});

test("the machine of an ended view keeps only that it is forgotten", async () => {
  const player = new TestPlayer(workspace.id);
  await sendView(workspace.id, player.completeView(secondsAgo(30), { viid: viewerId }));
  expect(await forget(workspace)).toEqual({ deletedViews: 1, remainingViews: 0 });
  const left = await runInDurableObject(machineOf(player.viewId), (_, { storage }) => [...storage.kv.list()]);
  expect(left).toEqual([["data", { status: "forgotten" }]]);
});

test("a running view that is not in the store yet is refused there, and its machine forgets it", async () => {
  const player = new TestPlayer(workspace.id);
  const [begin, ...later] = player.completeView(secondsAgo(10));
  await sendView(workspace.id, [begin!]); // the viewer logs in later
  expect(await forget(workspace)).toEqual({ deletedViews: 0, remainingViews: 0 });
  const [login, ...rest] = later;
  await sendView(workspace.id, [{ ...login, viid: viewerId }]);
  await elapse(workspace.id, player.viewId, 30_000);
  expect(await idsOf(workspace)).toEqual([]);
  expect(await runInDurableObject(machineOf(player.viewId), ({ components }) => components.state.status)).toBe(
    "forgotten",
  );
  await sendView(workspace.id, rest);
  expect(await idsOf(workspace)).toEqual([]);
  expect(await eventsOf(player.viewId)).toEqual([]);
});

test("a view that began before and is reported only afterwards is neither stored nor announced", async () => {
  const { playbackId } = await newAsset({ status: "ready", workspaceId: workspace.id });
  const source = { viid: viewerId, vdsour: `https://stream.example.com/${playbackId}.m3u8` };
  const player = new TestPlayer(workspace.id);
  const events = player.completeView(secondsAgo(20), source);
  await forget(workspace);
  await sendView(workspace.id, events);
  expect(await idsOf(workspace)).toEqual([]);
  expect(await eventsOf(player.viewId)).toEqual([]);
});

test("views that the viewer begins later are kept, whether they are stored before or after the deletion of the others", async () => {
  const requestedMs = Date.now();
  const storeLater = async () => {
    vi.setSystemTime(requestedMs + 60_000);
    return storeView(workspace.id, "after", { viewer_id: viewerId });
  };
  vi.useFakeTimers({ toFake: ["Date"] });
  try {
    await storeView(workspace.id, "before", { viewer_id: viewerId });
    const later = [await storeLater()];
    vi.setSystemTime(requestedMs);
    expect(await forget(workspace)).toEqual({ deletedViews: 1, remainingViews: 0 });
    later.push(await storeLater());
    expect(await idsOf(workspace)).toEqual(later.toSorted());
  } finally {
    vi.useRealTimers();
  }
});

test("the first 100 views are deleted at once, and the store's alarm deletes the others", async () => {
  await storeView(workspace.id, "mine", { viewer_id: viewerId });
  await runInDurableObject(storeOf(Date.now()), (_, { storage }) => {
    const [view] = storage.sql.exec<Record<string, string | number | null>>("SELECT * FROM views").toArray();
    const names = Object.keys(view!).filter((name) => name !== "view_id");
    const copy = `INSERT INTO views (view_id, ${names.join()}) SELECT ?, ${names.join()} FROM views WHERE view_id = ?`;
    for (let n = 1; n < 203; n += 1) storage.sql.exec(copy, crypto.randomUUID(), view!["view_id"]);
  });
  expect(await forget(workspace)).toEqual({ deletedViews: 100, remainingViews: 103 });
  await vi.waitFor(async () => expect(await idsOf(workspace)).toEqual([]), 20_000);
});

test("a view whose machine failed is deleted by the alarm", async () => {
  await storeView(workspace.id, "mine", { viewer_id: viewerId });
  const failing = vi.spyOn(env.VIEW_MACHINE, "get").mockImplementationOnce(() => {
    throw new Error("overloaded");
  });
  const forgotten = await forget(workspace);
  expect(failing).toHaveBeenCalled();
  failing.mockRestore();
  expect(forgotten).toEqual({ deletedViews: 0, remainingViews: 1 });
  await runDurableObjectAlarm(storeOf(Date.now()));
  await vi.waitFor(async () => expect(await idsOf(workspace)).toEqual([]), 10_000);
});

test("the URL of an export that was handed out before does not show the views any more", async () => {
  const mine = await storeView(workspace.id, "mine", { viewer_id: viewerId });
  const other = await storeView(workspace.id, "other");
  const body = { format: "ndjson", fields: ["viewId", "viewerId"] };
  const created = await workspace.request("POST", "/v1/data/viewlist", body);
  const { url } = (await created.json<{ data: { url: string } }>()).data;
  const download = async () => (await send(new Request(url))).text();
  expect(await download()).toContain(mine);
  await forget(workspace);
  const text = await download();
  expect([text.includes(mine), text.includes(other), text.includes(viewerId)]).toEqual([false, true, false]);
});

test("the store keeps no id of a forgotten viewer", async () => {
  await storeView(workspace.id, "mine", { viewer_id: viewerId });
  await forget(workspace);
  const rows = await runInDurableObject(storeOf(Date.now()), (_, { storage }) =>
    ["viewers_to_forget", "forgotten_viewers"].map((table) => storage.sql.exec(`SELECT * FROM ${table}`).toArray()),
  );
  expect(rows).toEqual([[], [{ hash: expect.stringMatching(/^[0-9a-f]{64}$/), at_ms: expect.any(Number) }]]);
});

test("the request log does not have the id either", async () => {
  await forget(workspace);
  const logged = async () =>
    (await env.DB.prepare("SELECT * FROM request_logs WHERE workspace_id = ?").bind(workspace.id).all()).results;
  await vi.waitFor(async () => expect(await logged()).toHaveLength(1), 5000);
  expect(await logged()).toMatchObject([
    { method: "DELETE", route: "/v1/data/viewers/{viewerId}", resource_ids: "[]" },
  ]);
});

test("a viewer's views are found by an index", async () => {
  await storeView(workspace.id, "mine");
  const plan = await runInDurableObject(storeOf(Date.now()), (_, { storage }) => {
    const query =
      "SELECT view_id FROM views WHERE (viewer_id = ? OR (record ->> '$.fpViewerId') = ?) AND view_start_ms <= ?";
    return storage.sql.exec(`EXPLAIN QUERY PLAN ${query}`, "a", "a", 1).toArray();
  });
  expect(JSON.stringify(plan)).toMatch(/views_by_viewer[^]*views_by_sdk_viewer/);
});

test.each([
  ["too long", "x".repeat(2049), 422],
  ["empty", "", 404],
])("an id that is %s is refused", async (_, id, status) => {
  expect((await workspace.request("DELETE", `/v1/data/viewers/${id}`)).status).toBe(status);
});

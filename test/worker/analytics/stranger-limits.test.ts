/** Reports carry no key: what they may cause is counted before it is written (decision 0129). */
import { env, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { StoreComponents } from "../../../src/analytics/store/components.ts";
import { monthOf } from "../../../src/analytics/store/months.ts";
import { putView } from "../../../src/analytics/store/put-view.ts";
import { hasSpareRoom } from "../../../src/platform/database-room.ts";
import { addRung, newAsset } from "../playback/playable.ts";
import { newWorkspace, send, type TestWorkspace } from "../workspace.ts";
import { dataOf, elapse, finalView, postBeacon, sendView, TestPlayer } from "./beacon-helpers.ts";

let workspace: TestWorkspace;
beforeEach(async () => {
  workspace = await newWorkspace();
});
afterEach(() => {
  vi.restoreAllMocks();
});

const DAY_MS = 24 * 3600_000;
const minuteAgo = () => Date.now() - 60_000;
const refused = async () => {
  const list = await dataOf<{ reason: string; count: number }[]>(workspace, "refused-reports");
  return Object.fromEntries(list.map(({ reason, count }) => [reason, count]));
};
const refuseAll = (limiter: RateLimit) => vi.spyOn(limiter, "limit").mockResolvedValue({ success: false });
const eventsOf = async (viewId: string) => {
  const answer = await workspace.request("GET", `/v1/events?objectId=${viewId}`);
  return (await answer.json<{ data: { type: string; data: Record<string, unknown> }[] }>()).data;
};
const sourceOf = async () => {
  const { playbackId } = await newAsset({ status: "ready", workspaceId: workspace.id });
  return { vdsour: `https://stream.example.com/${playbackId}.m3u8` };
};

test("beyond the limit of new views no machine is touched, and views that have begun go on", async () => {
  const running = new TestPlayer(workspace.id);
  await postBeacon(workspace.id, { events: [running.event("viewBegin", minuteAgo())] });
  for (const limiter of [env.NEW_VIEWS, env.NEW_VIEWS_OF_WORKSPACE, env.NEW_VIEWS_IN_ALL]) {
    const limit = refuseAll(limiter);
    const machines = vi.spyOn(env.VIEW_MACHINE, "get");
    const events = Array.from({ length: 20 }, () => new TestPlayer(workspace.id).event("viewBegin", minuteAgo()));
    expect((await postBeacon(workspace.id, { events })).status).toBe(503); // players send it again
    expect(machines).not.toHaveBeenCalled();
    await postBeacon(workspace.id, { events: [running.event("pulse", minuteAgo())] });
    expect(machines).toHaveBeenCalledTimes(1);
    limit.mockRestore();
    machines.mockRestore();
  }
  const machine = env.VIEW_MACHINE.get(env.VIEW_MACHINE.idFromName(`${workspace.id}:${running.viewId}`));
  expect(await runInDurableObject(machine, ({ components }) => components.events.count)).toBe(4);
  expect(await refused()).toEqual({ too_many_new_views: 20 });
});

test("all networks of an IPv6 /48 are one, and an address of IPv4 is one", async () => {
  const limits = [env.BEACONS, env.NEW_VIEWS].map((limiter) => vi.spyOn(limiter, "limit"));
  for (const address of ["2001:db8:5:1::7", "2001:db8:5:ffff:1::2", "::ffff:192.0.2.7", "192.0.2.7"]) {
    const player = new TestPlayer(workspace.id);
    await postBeacon(
      workspace.id,
      { events: [player.event("viewBegin", minuteAgo())] },
      { "cf-connecting-ip": address },
    );
  }
  for (const { mock } of limits)
    expect(mock.calls.map(([{ key }]) => key)).toEqual(["2001:db8:5", "2001:db8:5", "192.0.2.7", "192.0.2.7"]);
});

test.each(["beacons", "cmcd"])(
  "beyond its network's limit, a report to /%s is not read and asks the database nothing",
  async (door) => {
    refuseAll(env.BEACONS);
    const prepare = vi.spyOn(env.DB, "prepare");
    const request = new Request(`http://sluice.test/${door}/${crypto.randomUUID()}`, { method: "POST", body: "{}" });
    expect((await send(request)).status).toBe(200);
    expect([request.bodyUsed, prepare.mock.calls.length]).toEqual([false, 0]);
  },
);

test("a report of a workspace beyond its limit, or the deployment's, is counted and not read", async () => {
  for (const limiter of [env.BEACONS_OF_WORKSPACE, env.BEACONS_IN_ALL]) {
    const limit = refuseAll(limiter);
    const request = new Request(`http://sluice.test/beacons/${workspace.id}`, { method: "POST", body: "{" });
    expect((await send(request)).status).toBe(200);
    expect(request.bodyUsed).toBe(false);
    limit.mockRestore();
  }
  expect(await refused()).toEqual({ too_many_requests: 1 }); // the second is written a minute later
});

test("a network that tries unknown ids asks the database no more, and what exists still plays for it", async () => {
  const headers = { "cf-connecting-ip": "2001:db8:99::1" };
  const { assetId, playbackId } = await newAsset({ status: "ready", workspaceId: workspace.id });
  await addRung(assetId);
  const get = async (path: string) => (await send(new Request(`http://sluice.test/${path}`, { headers }))).status;
  expect(await get(`${playbackId}.m3u8`)).toBe(200);
  refuseAll(env.UNKNOWN_IDS);
  expect(await get(`${crypto.randomUUID()}.m3u8`)).toBe(404);
  const prepare = vi.spyOn(env.DB, "prepare");
  const batch = vi.spyOn(env.DB, "batch");
  const id = () => crypto.randomUUID();
  const unknownSession = `${playbackId}/${id()}/v.m3u8`;
  for (const path of [`${id()}.mpd`, `${id()}/v720/0.m4s`, unknownSession, `${id()}/thumbnail.jpg`, `player/${id()}`])
    expect(await get(path)).toBe(429);
  const player = new TestPlayer(id());
  const unknown = await postBeacon(id(), { events: [player.event("viewBegin", minuteAgo())] }, headers);
  expect(unknown.status).toBe(200);
  expect([prepare.mock.calls.length, batch.mock.calls.length]).toEqual([0, 0]);
  expect(await get(`${playbackId}.m3u8`)).toBe(200);
  const other = { headers: { "cf-connecting-ip": "2001:db8:98::1" } };
  const elsewhere = await send(new Request(`http://sluice.test/${id()}.m3u8`, other));
  expect(elsewhere.status).toBe(404);
});

test.each(["player/%", "%.m3u8", "%/v720/0.m4s", "%/source"])(
  "an unknown id at /%s is counted, and what is refused of an id that exists is not",
  async (form) => {
    const headers = { "cf-connecting-ip": `2001:db8:95:${form.length}::1` };
    const limit = vi.spyOn(env.UNKNOWN_IDS, "limit");
    const get = (id: string) => send(new Request(`http://sluice.test/${form.replace("%", id)}`, { headers }));
    const { playbackId } = await newAsset({ status: "errored", workspaceId: workspace.id });
    expect((await get(playbackId)).status).toBeGreaterThanOrEqual(400);
    expect(limit).not.toHaveBeenCalled();
    expect((await get(crypto.randomUUID())).status).toBe(404);
    expect(limit).toHaveBeenCalledTimes(1);
  },
);

test("an unknown id that is asked for again counts once, and is one query within a second", async () => {
  const headers = { "cf-connecting-ip": "2001:db8:97::1" };
  const limit = vi.spyOn(env.UNKNOWN_IDS, "limit");
  const batch = vi.spyOn(env.DB, "batch");
  const id = crypto.randomUUID();
  for (let n = 0; n < 5; n += 1)
    expect((await send(new Request(`http://sluice.test/${id}.m3u8`, { headers }))).status).toBe(404);
  expect([limit.mock.calls.length, batch.mock.calls.length]).toEqual([1, 1]);
});

test("the tokens of unknown keys count as unknown ids", async () => {
  const { playbackId } = await newAsset({ status: "ready", workspaceId: workspace.id }, { accessPolicy: "private" });
  const limit = vi.spyOn(env.UNKNOWN_IDS, "limit");
  const encode = (value: unknown) => btoa(JSON.stringify(value)).replaceAll("=", "");
  const token = () => `${encode({ alg: "RS256", kid: crypto.randomUUID() })}.${encode({})}.AAAA`;
  const headers = { "cf-connecting-ip": "2001:db8:96::1" };
  for (let n = 0; n < 3; n += 1) {
    const request = new Request(`http://sluice.test/${playbackId}.m3u8?token=${token()}`, { headers });
    expect((await send(request)).status).toBe(401);
  }
  expect(limit).toHaveBeenCalledTimes(3);
});

test("a view that left before its first picture announces nothing; one that failed does", async () => {
  const source = await sourceOf();
  const left = new TestPlayer(workspace.id);
  await sendView(workspace.id, [
    left.event("viewBegin", minuteAgo(), source),
    left.event("viewCompleted", minuteAgo() + 2000),
  ]);
  const failed = new TestPlayer(workspace.id);
  await sendView(workspace.id, [
    failed.event("viewBegin", minuteAgo(), source),
    failed.event("error", minuteAgo() + 2000, { plercd: "2", plerms: "no network" }),
    failed.event("viewCompleted", minuteAgo() + 3000),
  ]);
  expect(await eventsOf(left.viewId)).toEqual([]);
  expect((await eventsOf(failed.viewId)).map(({ type }) => type)).toEqual(["playback.errored"]);
});

test("views beyond the events of a day are kept, have no event, and are counted", async () => {
  const source = await sourceOf();
  const store = env.VIEW_STORE.get(env.VIEW_STORE.idFromName(`${workspace.id}:${monthOf(Date.now())}`));
  await runInDurableObject(store, (_, state) => {
    const { eventPlaces } = new StoreComponents(state, env);
    const most = Number(env.MAX_WORKSPACE_PLAYBACK_EVENTS);
    eventPlaces.take(Date.now(), most);
    state.storage.sql.exec("UPDATE playback_events SET used = ?", most - 1);
  });
  const players = [new TestPlayer(workspace.id), new TestPlayer(workspace.id)];
  for (const player of players) await sendView(workspace.id, player.completeView(minuteAgo(), source));
  const [first, second] = await Promise.all(players.map(({ viewId }) => eventsOf(viewId)));
  expect([first!.length, second!.length]).toEqual([1, 0]);
  expect(await dataOf(workspace, `viewlist/${players[1]!.viewId}`)).toMatchObject({ isFinal: true });
  expect(await refused()).toEqual({ too_many_playback_events: 1 });
  const again = runInDurableObject(store, (_, state) =>
    new StoreComponents(state, env).eventPlaces.take(Date.now() + DAY_MS, 1),
  );
  expect(await again).toBe(true);
});

test("the texts of a player are short in its event", async () => {
  const player = new TestPlayer(workspace.id);
  const long = "x".repeat(2000);
  await sendView(workspace.id, player.completeView(minuteAgo(), { ...(await sourceOf()), vdtt: long, viid: long }));
  const [event] = await eventsOf(player.viewId);
  expect(event!.data).toMatchObject({ videoTitle: "x".repeat(255), viewerId: "x".repeat(255) });
});

test("D1 that is nearly full takes no event of a view", async () => {
  const room = vi.fn<() => Promise<object>>(async () => ({ meta: { size_after: 8_000_000_001 } }));
  const binding = { prepare: () => ({ run: room }) } as unknown as D1Database;
  const nowMs = Date.now() + 3600_000; // what the isolate has seen of D1 is older than a minute
  expect(await hasSpareRoom(binding, nowMs)).toBe(false);
  expect(await hasSpareRoom(binding, nowMs + 59_000)).toBe(false);
  expect(room).toHaveBeenCalledTimes(1);
  vi.useFakeTimers({ toFake: ["Date"], now: nowMs });
  try {
    const player = new TestPlayer(workspace.id);
    await postBeacon(workspace.id, { events: player.completeView(Date.now() - 60_000, await sourceOf()) });
    await elapse(workspace.id, player.viewId);
    expect(await eventsOf(player.viewId)).toEqual([]);
    expect(await dataOf(workspace, `viewlist/${player.viewId}`)).toMatchObject({ isFinal: true });
    expect(await refused()).toEqual({ database_full: 1 });
  } finally {
    vi.useRealTimers();
    await hasSpareRoom(env.DB, nowMs + 60_001); // other tests share the isolate
  }
});

test("a full store takes the states of its views, and no new view", async () => {
  const store = env.VIEW_STORE.get(env.VIEW_STORE.idFromName(`${workspace.id}:2026-02`));
  const view = finalView(workspace.id, [{ sequence: 1, name: "viewBegin", atMs: Date.now(), fields: {} }]);
  const other = { ...view, viewId: crypto.randomUUID() };
  const outcomes = await runInDurableObject(store, async (_, state) => {
    const components = new StoreComponents(state, env);
    const put = (one: typeof view, revision: number) => putView(components, { view: one, timeline: [], revision });
    const before = await put(view, 1);
    Object.defineProperty(components, "bytes", { value: 8_000_000_001 });
    const after = [await put({ ...view, watchTime: 7 }, 2), await put(other, 1)];
    return [before, ...after, components.views.find(view.viewId)?.view.watchTime, components.views.has(other.viewId)];
  });
  expect(outcomes).toEqual(["stored", "stored", "full", 7, false]);
});

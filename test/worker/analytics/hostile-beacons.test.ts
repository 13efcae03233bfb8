/** Beacons of attackers and broken players: answered 200, bounded, and without effect on the views of others. */
import { env, runInDurableObject } from "cloudflare:test";
import { beforeEach, expect, test, vi } from "vitest";
import { newWorkspace, type TestWorkspace } from "../workspace.ts";
import { dataOf, elapse, postBeacon, sendView, TestPlayer } from "./beacon-helpers.ts";

let workspace: TestWorkspace;
beforeEach(async () => {
  workspace = await newWorkspace();
});

type Data = Record<string, unknown>;
const viewOf = (viewId: string) => dataOf<Data>(workspace, `viewlist/${viewId}`);
const minuteAgo = () => Date.now() - 60_000;
const refused = async () =>
  Object.fromEntries(
    (await dataOf<{ reason: string; count: number }[]>(workspace, "refused-reports")).map(({ reason, count }) => [
      reason,
      count,
    ]),
  );

const deep = `{"events":[${'{"veid":'.repeat(20_000)}1${"}".repeat(20_000)}]}`;
test.each([
  ["not JSON", "events=1", { not_json: 1 }],
  ["nothing", "", { not_json: 1 }],
  ["a list", "[]", { not_json: 1 }],
  ["of 5 MB", `{"events":[],"x":"${"x".repeat(5 << 20)}"}`, { too_large: 1 }],
  ["20,000 levels deep", deep, { no_view_id: 1 }],
  ["with events that are none", '{"events":[null,7,"x",[],{}]}', { not_an_event: 4, no_view_id: 1 }],
])("a body that is %s is answered 200 and counted", async (_, body, reasons) => {
  const answer = await postBeacon(workspace.id, body);
  expect([answer.status, await refused()]).toEqual([200, reasons]);
});

test("the first 1,000 of 10,000 events are used, and the others are counted", async () => {
  const player = new TestPlayer(workspace.id);
  const events = Array.from({ length: 10_000 }, (_, n) => player.event(n === 0 ? "viewBegin" : "x", minuteAgo(), {}));
  const small = events.map(({ veid, vesqnu, evna }) => ({ veid, vesqnu, evna }));
  expect((await postBeacon(workspace.id, { events: small })).status).toBe(200);
  expect(await refused()).toEqual({ too_many_events: 9000 });
  const machine = env.VIEW_MACHINE.get(env.VIEW_MACHINE.idFromName(`${workspace.id}:${player.viewId}`));
  expect(await runInDurableObject(machine, ({ components }) => components.events.count)).toBe(1000);
});

test("figures that no view can have are not known, and unknown words change nothing", async () => {
  const player = new TestPlayer(workspace.id);
  const wild = {
    vetitofifr: -400,
    vewati: -1,
    plspti: "NaN",
    paloti: 1e300,
    lisrlt: Number.MAX_VALUE,
    verbco: -3,
    verbdu: "-Infinity",
    vdsobi: 1e308,
    plwt: {},
    zzzzzz: 7,
    __proto__x: 1,
    constructor: "x",
  };
  const events = player
    .completeView(minuteAgo())
    .map((event, index) => (index === 0 ? { ...event, ...wild } : { ...event, ...wild, vetitofifr: -400 }));
  await sendView(workspace.id, events);
  expect(await viewOf(player.viewId)).toMatchObject({
    isFinal: true,
    videoTitle: "Harbour",
    videoStartupTime: null,
    pageLoadTime: null,
    playerInitializationTime: null,
    watchTime: 0,
    bufferCount: 0,
    bufferFill: 0,
    averageBitrate: null,
    playerWidth: null,
  });
});

test("a decreasing sequence and times of 1970 and 2100 make one view of the present", async () => {
  const player = new TestPlayer(workspace.id);
  const events = player.completeView(minuteAgo());
  const shuffled = [events[3]!, { ...events[1]!, vitp: 1 }, { ...events[2]!, vitp: 4_102_444_800_000 }, events[0]!];
  for (const event of shuffled) await postBeacon(workspace.id, { events: [event] });
  await elapse(workspace.id, player.viewId);
  const view = await viewOf(player.viewId);
  expect(view).toMatchObject({ isFinal: true, watchTime: 10_000, videoStartupTime: 400 });
  expect(Date.parse(view["viewStart"] as string)).toBeGreaterThan(minuteAgo() - 5000);
  expect(Date.parse(view["viewEnd"] as string)).toBeLessThanOrEqual(Date.now());
});

test("markup and formulas in a title are kept as they are", async () => {
  const player = new TestPlayer(workspace.id);
  const title = '<img src=x onerror=alert(1)>=HYPERLINK("http://evil.test")\u0000\u202e';
  await sendView(workspace.id, player.completeView(minuteAgo(), { vdtt: title }));
  expect((await viewOf(player.viewId))["videoTitle"]).toBe(title);
});

test("beacons for workspaces that do not exist reach no view and no store, and ask the database once each", async () => {
  const views = vi.spyOn(env.VIEW_MACHINE, "get");
  const stores = vi.spyOn(env.VIEW_STORE, "get");
  const ids = Array.from({ length: 200 }, () => crypto.randomUUID());
  const prepare = vi.spyOn(env.DB, "prepare");
  for (const id of [...ids, ...ids]) {
    const events = new TestPlayer(id).completeView(minuteAgo());
    expect((await postBeacon(id, { events })).status).toBe(200);
  }
  expect([views.mock.calls.length, stores.mock.calls.length]).toEqual([0, 0]);
  expect(prepare.mock.calls.length).toBeLessThanOrEqual(ids.length);
  for (const spy of [views, stores, prepare]) spy.mockRestore();
});

test("the id of another workspace in an event does not lead there", async () => {
  const stranger = await newWorkspace();
  const player = new TestPlayer(stranger.id);
  await postBeacon(workspace.id, { events: player.completeView(minuteAgo()) });
  await elapse(workspace.id, player.viewId);
  expect(await viewOf(player.viewId)).toMatchObject({ workspaceId: workspace.id });
  expect((await stranger.request("GET", `/v1/data/viewlist/${player.viewId}`)).status).toBe(404);
});

/** From beacons to the records of views (media contract, analytics). */
import { env, runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { ViewMachine } from "../../../durable-objects/view-machine.ts";
import { edgeFactsOf } from "../../../src/analytics/beacons/read-edge-facts.ts";
import { takeEvents } from "../../../src/analytics/view-machine/take-events.ts";
import { viewTimers } from "../../../src/analytics/view-machine/timers.ts";
import { monthOf } from "../../../src/analytics/store/months.ts";
import { encodeEvent } from "../../../src/analytics/views/view-event.ts";
import { newWorkspace, send, type TestWorkspace } from "../workspace.ts";
import { eventsOf } from "../events/webhooks/webhook-rows.ts";
import { newAsset } from "../playback/playable.ts";
import { dataOf, elapse, postBeacon, sendView, TestPlayer } from "./beacon-helpers.ts";
import { inStore } from "./distributed-helpers.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

type Data = Record<string, unknown>;
const viewOf = (viewId: string) => dataOf<Data>(workspace, `viewlist/${viewId}`);
const secondsAgo = (seconds: number) => Date.now() - seconds * 1000;

test("a view of an SDK is a record with the figures of the contract, and one event", async () => {
  const { assetId, playbackId } = await newAsset({ status: "ready", workspaceId: workspace.id });
  const player = new TestPlayer(workspace.id);
  const startMs = secondsAgo(20);
  const events = [
    player.event("viewBegin", startMs, {
      vdsour: `https://stream.example.com/${playbackId}.m3u8?token=secret`,
      vdtt: "Harbour",
      viid: "viewer-1",
      paloti: "126",
      plspti: 0,
      plwt: 800,
      plht: 343,
      plauon: "true",
      cm1: "gold",
    }),
    player.event("playing", startMs + 3, { vetitofifr: 3, vewati: 3 }),
    player.event("variantChanged", startMs + 500, { vdsobi: 2_000_000, vdsowt: 1920, vdsoht: 1080, vdsofs: 30 }),
    player.event("viewCompleted", startMs + 17_607, { vewati: 17_607, veseco: 1, vesedu: 98, verbco: 0, verbdu: 0 }),
  ];
  await sendView(workspace.id, events);
  const view = await viewOf(player.viewId);
  expect(view).toMatchObject({
    viewId: player.viewId,
    workspaceId: workspace.id,
    mediaId: assetId,
    fpPlaybackId: playbackId,
    videoTitle: "Harbour",
    viewerId: "viewer-1",
    browserVersion: "Chrome 148",
    osVersion: "MacOS 10.15.7",
    deviceType: "Desktop",
    playerResolution: "800x343",
    videoResolution: "1080X1920",
    playerAutoplayOn: true,
    drmType: "none",
    videoSourceUrl: `https://stream.example.com/${playbackId}.m3u8`,
    watchTime: 17_607,
    viewPlayingTime: 17_506,
    totalStartupTime: 129,
    jumpLatency: 98,
    startupScore: 8 / 8.003,
    playbackScore: 1,
    averageBitrate: 2_000_000,
    isFinal: true,
    ipAddress: "",
    custom: { Custom: [{ dimensionName: "custom_1", displayName: "custom_1", value: "gold" }] },
  });
  expect(view["qualityOfExperienceScore"]).toBeCloseTo(0.4275 + 0.2975 + 0.275 * (8 / 8.003), 10);
  expect(view["events"]).toEqual([
    { e: "viewBegin", pt: 0, vt: expect.any(Number) as number },
    { e: "playing", pt: 0, vt: expect.any(Number) as number },
    { e: "variantChanged", pt: 0, vt: expect.any(Number) as number, d: { br: 2_000_000, h: 1080, w: 1920, fps: 30 } },
    { e: "viewCompleted", pt: 0, vt: expect.any(Number) as number },
  ]);
  const announced = await eventsOf(player.viewId);
  expect(announced.map(({ type }) => type)).toEqual(["playback.completed"]);
  expect(JSON.parse(`{${announced[0]!.body}`)).toMatchObject({
    object: { type: "view", id: player.viewId },
    data: { playbackId, mediaId: assetId, viewWatchTime: 17_607, viewerId: "viewer-1" },
  });

  // The last batch usually arrives twice, and a player may be late.
  await sendView(workspace.id, events);
  await sendView(workspace.id, [player.event("pulse", Date.now(), { vewati: 99_999 })]);
  expect((await viewOf(player.viewId))["watchTime"]).toBe(17_607);
  expect(await eventsOf(player.viewId)).toHaveLength(1);
});

test("the events of a view of hours are a short list, and its watched ranges those of all its events", async () => {
  const player = new TestPlayer(workspace.id);
  const startMs = secondsAgo(8000);
  const events = [player.event("viewBegin", startMs), player.event("playing", startMs, { vetitofifr: 0 })];
  for (let index = 0; index < 799; index += 1) {
    const atMs = startMs + (index + 1) * 10_000;
    // To and fro between two places of the media, so that each pulse ends a range.
    events.push(player.event("pulse", atMs, { plphti: (index % 2) * 9_000_000 + index * 10_000, vewati: index }));
    events.push(player.event("requestCompleted", atMs + 1, { rqhn: "stream.example.com" }));
  }
  events.push(player.event("viewCompleted", startMs + 8_000_000, { vewati: 8_000_000 }));
  const metadata = { transmission_timestamp: Date.now() };
  for (let from = 0; from < events.length; from += 900)
    await postBeacon(workspace.id, { metadata, events: events.slice(from, from + 900) });
  await elapse(workspace.id, player.viewId);
  const view = await viewOf(player.viewId);
  const names = (view["events"] as { e: string }[]).map(({ e }) => e);
  expect([view["isFinal"], names.length, names[0], names.at(-1)]).toEqual([true, 500, "viewBegin", "viewCompleted"]);
  expect(names).not.toContain("requestCompleted");
  const store = { workspaceId: workspace.id, month: monthOf(Date.parse(String(view["viewEnd"]))) };
  const stored = await inStore(
    store.workspaceId,
    store.month,
    `SELECT * FROM timelines WHERE view_id = '${player.viewId}'`,
  );
  const [{ events: kept, watched }] = stored as [{ events: string; watched: string }];
  expect(JSON.parse(kept)).toHaveLength(500);
  expect((JSON.parse(watched) as unknown[]).length).toBeGreaterThan(780);
});

test("events are merged in their own order, in whatever order they arrive, and each counts once", async () => {
  const player = new TestPlayer(workspace.id);
  const [begin, playing, pulse, completed] = player.completeView(secondsAgo(30));
  await sendView(workspace.id, [completed!, begin!]);
  expect(await viewOf(player.viewId)).toMatchObject({ isFinal: false, watchTime: 10_000, videoTitle: "Harbour" });
  await sendView(workspace.id, [pulse!, playing!, pulse!]);
  expect(await viewOf(player.viewId)).toMatchObject({ isFinal: true, watchTime: 10_000, videoStartupTime: 400 });
});

test("a view whose first report is complete is written to its store once, as final", async () => {
  const player = new TestPlayer(workspace.id);
  await sendView(workspace.id, player.completeView(secondsAgo(30)));
  expect(await viewOf(player.viewId)).toMatchObject({ isFinal: true, watchTime: 10_000 });
  const machine = env.VIEW_MACHINE.get(env.VIEW_MACHINE.idFromName(`${workspace.id}:${player.viewId}`));
  const projection = await runInDurableObject(machine, (_, { storage }) => storage.kv.get("projection"));
  expect(projection).toMatchObject({ revision: 1 });
});

test("events that arrive while the view is being written are written afterwards", async () => {
  const viewId = crypto.randomUUID();
  const edge = edgeFactsOf(new Headers(), undefined);
  const report = (sequence: number) => {
    const fields = { view_watch_time: sequence * 1000 };
    const events = [encodeEvent({ sequence, name: "pulse", atMs: secondsAgo(1), fields })];
    return { workspaceId: workspace.id, viewId, edge, events };
  };
  const machine = env.VIEW_MACHINE.get(env.VIEW_MACHINE.idFromName(`${workspace.id}:${viewId}`));
  await runInDurableObject(machine, async ({ components }: ViewMachine, { storage }) => {
    const alarm = vi.spyOn(storage, "setAlarm").mockResolvedValue(); // the timers are run here
    takeEvents(components, report(1));
    const writing = components.timers.runDue(viewTimers(components));
    takeEvents(components, report(2));
    await writing;
    await components.timers.runDue(viewTimers(components));
    alarm.mockRestore();
  });
  expect(await viewOf(viewId)).toMatchObject({ watchTime: 2000 });
});

test("a view ends after a minute although an event is missing", async () => {
  const player = new TestPlayer(workspace.id);
  const [begin, , pulse, completed] = player.completeView(secondsAgo(30));
  await sendView(workspace.id, [begin!, pulse!, completed!]);
  expect(await viewOf(player.viewId)).toMatchObject({ isFinal: false });
  await elapse(workspace.id, player.viewId, 60_000);
  expect(await viewOf(player.viewId)).toMatchObject({ isFinal: true });
});

test("a view that falls silent ends after an hour, and is shown meanwhile", async () => {
  const player = new TestPlayer(workspace.id);
  const [begin, playing] = player.completeView(secondsAgo(30));
  await sendView(workspace.id, [begin!, playing!]);
  expect(await viewOf(player.viewId)).toMatchObject({ isFinal: false, watchTime: 400 });
  await elapse(workspace.id, player.viewId, 3_599_000);
  expect(await viewOf(player.viewId)).toMatchObject({ isFinal: false });
  await elapse(workspace.id, player.viewId, 1000);
  expect(await viewOf(player.viewId)).toMatchObject({ isFinal: true, viewHasError: false });
});

test("each event of a view postpones its end by silence", async () => {
  const player = new TestPlayer(workspace.id);
  const [begin, playing, pulse] = player.completeView(secondsAgo(30));
  await sendView(workspace.id, [begin!, playing!]);
  await elapse(workspace.id, player.viewId, 3_000_000);
  await sendView(workspace.id, [pulse!]);
  await elapse(workspace.id, player.viewId, 3_599_000);
  expect(await viewOf(player.viewId)).toMatchObject({ isFinal: false });
  await elapse(workspace.id, player.viewId, 1000);
  expect(await viewOf(player.viewId)).toMatchObject({ isFinal: true });
});

describe("how a view ended", () => {
  const failing = { plercd: 3, plerms: "PIPELINE_ERROR_DECODE", plercx: "video" };
  const kinds: [string, [name: string, fields?: object][], object][] = [
    [
      "with an error before the first picture",
      [["viewBegin"], ["error", failing]],
      { playbackScore: 0, qualityOfExperienceScore: 0, videoStartupFailed: true, viewHasError: true, errorCode: "3" },
    ],
    [
      "with an error after it",
      [["viewBegin"], ["playing", { vetitofifr: 100 }], ["error", failing], ["error", { plercd: 4 }]],
      { playbackScore: 0, videoStartupFailed: false, viewHasError: true, errorMessage: "PIPELINE_ERROR_DECODE" },
    ],
    [
      "because the viewer left before it",
      [["viewBegin"], ["viewCompleted"]],
      { playbackScore: 0.5, qualityOfExperienceScore: null, exitBeforeVideoStart: true, viewHasError: false },
    ],
  ];
  test.each(kinds)("%s", async (_kind, script, expected) => {
    const { playbackId } = await newAsset({ status: "ready", workspaceId: workspace.id });
    const player = new TestPlayer(workspace.id);
    const source = { vdsour: `https://stream.example.com/${playbackId}.m3u8` };
    const startMs = secondsAgo(60);
    const events = script.map(([name, fields], index) =>
      player.event(name, startMs + index * 2000, { ...(index === 0 ? source : {}), ...fields }),
    );
    await sendView(workspace.id, events);
    const view = await viewOf(player.viewId);
    expect(view).toMatchObject({ isFinal: true, ...expected });
    const announced = view["exitBeforeVideoStart"] === true ? [] : ["playback.errored"];
    expect((await eventsOf(player.viewId)).map(({ type }) => type)).toEqual(announced);
  });
});

test("a viewer's clock that is wrong by years, or counts seconds, does not move the view", async () => {
  for (const [offsetMs, sent] of [
    [-50 * 365 * 86_400_000, (ms: number) => ms],
    [70 * 365 * 86_400_000, (ms: number) => String(ms)],
    [0, (ms: number) => ms / 1000],
  ] as const) {
    const player = new TestPlayer(workspace.id);
    const nowMs = Date.now() + offsetMs;
    const events = player.completeView(nowMs - 15_000);
    await postBeacon(workspace.id, { metadata: { transmission_timestamp: sent(nowMs) }, events });
    await elapse(workspace.id, player.viewId);
    const { viewStart, viewEnd } = (await viewOf(player.viewId)) as { viewStart: string; viewEnd: string };
    expect(Math.abs(Date.parse(viewStart) - secondsAgo(15))).toBeLessThan(10_000);
    expect(Date.parse(viewEnd) - Date.parse(viewStart)).toBe(10_000);
  }
});

describe("a host below the beacon domain", () => {
  const post = (host: string, body: object, method = "POST") =>
    send(new Request(`https://${host}/`, { method, ...(method === "POST" ? { body: JSON.stringify(body) } : {}) }), {
      BEACON_DOMAIN: "data.test",
    });

  test.each(["the workspace's", "that of SDKs without a key"])("%s takes beacons", async (kind) => {
    const player = new TestPlayer(workspace.id);
    const host = kind === "the workspace's" ? workspace.id : "collector";
    const answer = await post(`${host}.data.test`, { events: player.completeView(secondsAgo(30)) });
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
    await elapse(workspace.id, player.viewId);
    expect(await viewOf(player.viewId)).toMatchObject({ isFinal: true, watchTime: 10_000 });
  });

  test("answers 200 to unusable beacons, and serves nothing else", async () => {
    const unknown = new TestPlayer(crypto.randomUUID());
    for (const host of [crypto.randomUUID(), "nonsense", "collector"])
      expect((await post(`${host}.data.test`, { events: unknown.completeView(secondsAgo(30)) })).status).toBe(200);
    expect((await post(`${workspace.id}.data.test`, {}, "OPTIONS")).status).toBe(204);
    expect((await post(`${workspace.id}.data.test`, {}, "GET")).status).toBe(404);
  });
});

test("a playback ID of another workspace is not revealed, and nothing is announced", async () => {
  const { playbackId } = await newAsset({ status: "ready" });
  const player = new TestPlayer(workspace.id);
  const source = { vdsour: `https://stream.example.com/${playbackId}.m3u8` };
  await sendView(workspace.id, player.completeView(secondsAgo(30), source));
  expect(await viewOf(player.viewId)).toMatchObject({ isFinal: true, fpPlaybackId: null, mediaId: null });
  expect(await eventsOf(player.viewId)).toEqual([]);
});

test("a view of another workspace is 404, as an unknown one is", async () => {
  const player = new TestPlayer(workspace.id);
  await sendView(workspace.id, player.completeView(secondsAgo(30)));
  const stranger = await newWorkspace();
  for (const id of [player.viewId, crypto.randomUUID()]) {
    const answer = await stranger.request("GET", `/v1/data/viewlist/${id}`);
    expect([answer.status, (await answer.json<{ error: { message: string } }>()).error.message]).toEqual([
      404,
      "View not found",
    ]);
  }
});

/** Current viewers, from the views that players report. */
import { expect, test, vi } from "vitest";
import { nowEvents } from "../../../src/analytics/current/now-events.ts";
import { newAsset } from "../playback/playable.ts";
import { newWorkspace, type TestWorkspace } from "../workspace.ts";
import { dataOf, sendView, TestPlayer } from "./beacon-helpers.ts";

const MINUTE_MS = 60_000;

/** A view that has begun and has reported at `lastMs`. */
async function startView(workspace: TestWorkspace, startMs: number, lastMs: number, fields: object = {}) {
  const player = new TestPlayer(workspace.id);
  await sendView(workspace.id, [
    player.event("viewBegin", startMs, { vdtt: "Harbour", ...fields }),
    player.event("playing", startMs + 1, { vetitofifr: 400 }),
    player.event("pulse", lastMs),
  ]);
  return player;
}

interface Group {
  concurrentViewers: number;
  dimensionName: string;
  metricValue: number;
}
const groupsOf = (workspace: TestWorkspace, query: string) =>
  dataOf<Group[]>(workspace, `viewlist/current-views/filter?${query}`);

test("current viewers are those of running views that reported in the last 60 s, each viewer once", async () => {
  const workspace = await newWorkspace();
  const now = Date.now();
  await startView(workspace, now - 20_000, now - 1000, { viid: "ada" });
  await startView(workspace, now - 20_000, now - 2000, { viid: "ada" });
  await startView(workspace, now - 90_000, now - 45_000, { viid: "bob" });
  await startView(workspace, now - 20_000, now - 1000, { vdtt: "Storm" });
  await startView(workspace, now - 300_000, now - 62_000, { vdtt: "Left" });
  await sendView(workspace.id, new TestPlayer(workspace.id).completeView(now - 15_000, { vdtt: "Ended" }));
  await startView(await newWorkspace(), now - 20_000, now - 1000, { vdtt: "Foreign" });
  expect(await groupsOf(workspace, "dimension=video_title")).toEqual([
    { concurrentViewers: 2, dimensionName: "Harbour", metricValue: 3 },
    { concurrentViewers: 1, dimensionName: "Storm", metricValue: 1 },
  ]);
  expect(await groupsOf(workspace, "dimension=video_title&limit=1")).toHaveLength(1);
  expect(await groupsOf(workspace, "")).toEqual([{ concurrentViewers: 3, dimensionName: "", metricValue: 4 }]);
  expect(await groupsOf(workspace, "dimension=view_id")).toHaveLength(4);
  expect(await groupsOf(workspace, "dimension=asn_id")).toHaveLength(1);
});

test("`timespan` of the current viewers is the last 60 s in epoch seconds", async () => {
  const workspace = await newWorkspace();
  const answer = await workspace.request("GET", "/v1/data/viewlist/current-views/filter?dimension=country");
  const body = await answer.json<{ success: boolean; data: unknown[]; timespan: [number, number] }>();
  expect(body).toMatchObject({ success: true, data: [] });
  expect(body.timespan[1] - body.timespan[0]).toBe(60);
  expect(Math.abs(body.timespan[1] * 1000 - Date.now())).toBeLessThan(MINUTE_MS);
});

test.each(["dimension=nonsense", "dimension=record", "limit=51", "limit=0"])("%s is refused", async (query) => {
  const workspace = await newWorkspace();
  const answer = await workspace.request("GET", `/v1/data/viewlist/current-views/filter?${query}`);
  expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining(query.split("=")[0]!)]);
});

test("the time series counts a view in each minute from its first event to its last, and a current one until now", async () => {
  const workspace = await newWorkspace();
  const minute = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
  vi.useFakeTimers({ toFake: ["Date"], now: minute + 30_000 });
  try {
    const at = (minutesAgo: number) => minute - minutesAgo * MINUTE_MS + 5000;
    await startView(workspace, at(40), at(27)); // stopped reporting
    await startView(workspace, at(10), at(8));
    await startView(workspace, at(2), at(1) + 40_000); // 45 s ago
    await startView(workspace, at(45), at(31)); // before the window
    const path = "/v1/data/viewlist/current-views/getTimeseriesViews";
    const body = await (
      await workspace.request("GET", path)
    ).json<{
      success: true;
      data: { intervalTime: string; metricValue: number; numberOfViews: number }[];
      timespan: [number, number];
    }>();
    expect(body.timespan).toEqual([minute - 29 * MINUTE_MS, minute + 30_000]);
    expect(body.data).toHaveLength(30);
    const counted = body.data.flatMap(({ intervalTime, numberOfViews }, index) => {
      expect(Date.parse(intervalTime)).toBe(minute - (29 - index) * MINUTE_MS);
      return numberOfViews === 0 ? [] : [[29 - index, numberOfViews]];
    });
    expect(counted).toEqual([
      [29, 1],
      [28, 1],
      [27, 1],
      [10, 1],
      [9, 1],
      [8, 1],
      [2, 1],
      [1, 1],
      [0, 1],
    ]);
    expect(body.data.map(({ metricValue }) => metricValue)).toEqual(body.data.map((row) => row.numberOfViews));
  } finally {
    vi.useRealTimers();
  }
});

interface Now {
  viewers: number;
  views: number;
  media: object[];
  streams: object[];
  countries: object[];
}
const playing = (playbackId: string) => ({ vdsour: `https://stream.example.com/${playbackId}.m3u8` });

test("now has the current viewers in total and for each media, stream and country", async () => {
  const workspace = await newWorkspace();
  const [film, other] = await Promise.all(
    ["film", "other"].map(() => newAsset({ status: "ready", workspaceId: workspace.id })),
  );
  const { data: stream } = await (
    await workspace.request("POST", "/v1/live/streams", { playbackSettings: {}, inputMediaSettings: {} })
  ).json<{ data: { streamId: string; playbackIds: { id: string }[] } }>();
  const now = Date.now();
  await startView(workspace, now - 20_000, now - 1000, { viid: "ada", ...playing(film!.playbackId) });
  await startView(workspace, now - 20_000, now - 1000, { viid: "ada", ...playing(film!.playbackId) });
  await startView(workspace, now - 20_000, now - 1000, { viid: "bob", ...playing(film!.playbackId) });
  await startView(workspace, now - 20_000, now - 1000, { viid: "eve", ...playing(stream.playbackIds[0]!.id) });
  await startView(workspace, now - 90_000, now - 70_000, { viid: "left", ...playing(other!.playbackId) });
  await startView(workspace, now - 20_000, now - 1000, { viid: "elsewhere" });
  expect(await dataOf<Now>(workspace, "now")).toEqual({
    at: expect.any(String) as string,
    viewers: 4,
    views: 5,
    media: [{ mediaId: film!.assetId, viewers: 2, views: 3 }],
    streams: [{ streamId: stream.streamId, viewers: 1, views: 1 }],
    countries: [{ country: null, viewers: 4, views: 5 }],
  });
});

test("now is a stream of events for a client that accepts one: at once, and then every 10 s with the changes", async () => {
  const workspace = await newWorkspace();
  const startMs = Date.now() - 20_000;
  await startView(workspace, startMs, Date.now() - 1000);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const answer = await workspace.request("GET", "/v1/data/now", undefined, { accept: "text/event-stream" });
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    const reader = answer.body!.getReader();
    const next = async () => new TextDecoder().decode((await reader.read()).value);
    const first = await next();
    expect(first).toMatch(/^retry: 1000\nevent: now\ndata: \{"at":"[^\n]+","viewers":1,[^\n]+\}\n\n$/);
    await startView(workspace, startMs, Date.now() - 1000, { vdtt: "Storm" });
    const second = next();
    let hasCome = false;
    void second.then(() => (hasCome = true));
    await vi.advanceTimersByTimeAsync(9999);
    expect(hasCome).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await second).toMatch(/^event: now\ndata: \{[^\n]*"viewers":2,/);
    await reader.cancel();
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test("a client that disconnects while it waits for an event ends the stream", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const ask = vi.fn<() => Promise<object>>(async () => ({}));
    const reader = nowEvents(ask).getReader();
    await reader.read();
    void reader.read();
    await vi.advanceTimersByTimeAsync(5000);
    expect(vi.getTimerCount()).toBe(1);
    await reader.cancel();
    await vi.advanceTimersByTimeAsync(60_000);
    expect([vi.getTimerCount(), ask.mock.calls.length]).toEqual([0, 1]);
  } finally {
    vi.useRealTimers();
  }
});

test("the first minutes of a month also count the views that ended in the month before", async () => {
  const workspace = await newWorkspace();
  const now = new Date();
  const monthStart = Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
  vi.useFakeTimers({ toFake: ["Date"], now: monthStart - 50_000 });
  try {
    await startView(workspace, monthStart - 100_000, monthStart - 51_000);
    vi.setSystemTime(monthStart + 5000);
    await startView(workspace, monthStart + 1000, monthStart + 4000);
    expect(await groupsOf(workspace, "dimension=video_title")).toEqual([
      { concurrentViewers: 2, dimensionName: "Harbour", metricValue: 2 },
    ]);
    const rows = await dataOf<{ numberOfViews: number }[]>(workspace, "viewlist/current-views/getTimeseriesViews");
    expect(rows.slice(-3).map(({ numberOfViews }) => numberOfViews)).toEqual([1, 1, 2]);
  } finally {
    vi.useRealTimers();
  }
});

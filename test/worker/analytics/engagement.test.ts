/** Which seconds were watched: `GET /v1/data/media/{mediaId}/engagement`, and by the clock for live streams. */
import { env, runInDurableObject } from "cloudflare:test";
import { beforeEach, expect, test } from "vitest";
import { monthOf } from "../../../src/analytics/store/months.ts";
import { viewStore } from "../../../src/analytics/store/store-calls.ts";
import type { Fields } from "../../../src/analytics/views/fields.ts";
import { timelineOf, type ViewEvent } from "../../../src/analytics/views/view-event.ts";
import { newStream } from "../live/live-helpers.ts";
import { newAsset } from "../playback/playable.ts";
import { newWorkspace, type TestWorkspace } from "../workspace.ts";
import { dataOf, finalView } from "./beacon-helpers.ts";

let workspace: TestWorkspace;
beforeEach(async () => {
  workspace = await newWorkspace();
});

type Step = [name: string, seconds: number, playheadSeconds?: number];

/** Puts a final view of the content into the store of its month. */
async function watch(content: object, steps: Step[], startMs = Date.now() - 60_000, fields: Fields = {}) {
  const events: ViewEvent[] = steps.map(([name, seconds, playhead], index) => ({
    sequence: index + 1,
    name,
    atMs: startMs + seconds * 1000,
    fields: { ...fields, ...(playhead === undefined ? {} : { player_playhead_time: playhead * 1000 }) },
  }));
  const view = { ...finalView(workspace.id, events), ...content };
  const month = monthOf(view.viewEndMs);
  await viewStore(env, { workspaceId: workspace.id, month }).put({
    view,
    timeline: timelineOf(events),
    revision: 1,
  });
  return { viewId: view.viewId, month };
}
const whole = (seconds: number): Step[] => [["playing", 0, 0], ["viewCompleted", seconds, seconds]]; // prettier-ignore

interface Engagement {
  durationMs: number;
  intervalMs: number;
  totalViews: number;
  intervals: { startMs: number; views: number; share: number; replays: number }[];
  hotspots: object[];
}
const engagementOf = (path: string) => dataOf<Engagement>(workspace, `${path}/engagement`);

test("each second has the views that watched it, their share, and how often it was replayed", async () => {
  const { assetId } = await newAsset({ status: "ready", workspaceId: workspace.id, durationMs: 5200 });
  const content = { mediaId: assetId };
  await watch(content, whole(5.2));
  await watch(content, whole(2));
  await watch(content, [["playing", 0, 0], ["seeking", 3, 1], ["playing", 3, 1], ["pause", 5, 3], ["viewCompleted", 9, 3]]); // prettier-ignore
  await watch(content, [
    ["viewBegin", 0],
    ["viewCompleted", 1],
  ]); // nothing was shown
  await watch({ mediaId: crypto.randomUUID() }, whole(5));
  const { intervals, ...rest } = await engagementOf(`media/${assetId}`);
  expect(rest).toEqual({
    mediaId: assetId,
    durationMs: 5200,
    intervalMs: 1000,
    totalViews: 3,
    hotspots: [{ startMs: 1000, endMs: 2000, plays: 4 }],
  });
  expect(intervals.map(({ views, replays }) => [views, replays])).toEqual([
    [3, 0],
    [3, 1],
    [2, 1],
    [1, 0],
    [1, 0],
    [0, 0], // its middle is behind the end
  ]);
  expect(intervals[2]!.share).toBeCloseTo(2 / 3);
});

test("a filter and a time span limit the views, and no filter reaches those of another media", async () => {
  const { assetId } = await newAsset({ status: "ready", workspaceId: workspace.id, durationMs: 2000 });
  const other = { mediaId: crypto.randomUUID() };
  await watch({ mediaId: assetId }, whole(2), undefined, { browser: "Firefox" });
  await watch({ mediaId: assetId }, whole(2), undefined, { browser: "Chrome" });
  await watch({ mediaId: assetId }, whole(2), Date.now() - 3 * 24 * 3600_000);
  await watch(other, whole(2));
  const views = async (query: string) =>
    (await dataOf<Engagement>(workspace, `media/${assetId}/engagement?${query}`)).totalViews;
  expect(await views("")).toBe(2);
  expect(await views("timespan[]=7:days")).toBe(3);
  expect(await views("filterby[]=browser_name:Firefox")).toBe(1);
  expect(await views(`filterby[]=media_id:${other.mediaId}`)).toBe(0);
});

test("views that an earlier release stored count too", async () => {
  const { assetId } = await newAsset({ status: "ready", workspaceId: workspace.id, durationMs: 2000 });
  const { month } = await watch({ mediaId: assetId }, whole(2));
  const store = env.VIEW_STORE.get(env.VIEW_STORE.idFromName(`${workspace.id}:${month}`));
  await runInDurableObject(store, (_, { storage }) => void storage.sql.exec("UPDATE timelines SET watched = NULL"));
  expect((await engagementOf(`media/${assetId}`)).intervals.map(({ views }) => views)).toEqual([1, 1]);
});

test("a media of twelve hours has at most 3,600 intervals of whole seconds", async () => {
  const { assetId } = await newAsset({ status: "ready", workspaceId: workspace.id, durationMs: 12 * 3600_000 });
  const { intervals, intervalMs } = await engagementOf(`media/${assetId}`);
  expect([intervals.length, intervalMs]).toEqual([3600, 12_000]);
});

test("a live stream has the views of each time of day", async () => {
  const { streamId } = await newStream(workspace);
  const startMs = Math.floor(Date.now() / 1000) * 1000 - 30_000;
  await watch({ fpLiveStreamId: streamId }, whole(4), startMs);
  await watch({ fpLiveStreamId: streamId }, whole(2), startMs + 2000);
  const span = [startMs - 1000, startMs + 6000].map((ms) => `timespan[]=${ms / 1000}`).join("&");
  const path = `streams/${streamId}/engagement?${span}`;
  const { intervals, totalViews } = await dataOf<Engagement>(workspace, path);
  expect(totalViews).toBe(2);
  expect(intervals.map(({ startMs: at, views }) => [at - startMs, views])).toEqual([
    [-1000, 0],
    [0, 1],
    [1000, 1],
    [2000, 2],
    [3000, 2],
    [4000, 0],
    [5000, 0],
  ]);
});

test.each([
  ["media", () => crypto.randomUUID()],
  ["streams", () => crypto.randomUUID().replaceAll("-", "")],
])("an unknown id of %s is 404", async (kind, newId) => {
  expect((await workspace.request("GET", `/v1/data/${kind}/${newId()}/engagement`)).status).toBe(404);
});

/** Every question over HTTP has the same answer for a distributed workspace: views in the table, in the stores, and in both. */
import { env } from "cloudflare:test";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { BUCKET_MS } from "../../../src/analytics/alerts/decide.ts";
import { evaluateAlerts } from "../../../src/analytics/alerts/evaluate-alerts.ts";
import { DIMENSIONS } from "../../../src/analytics/store/dimensions.ts";
import { rowOf } from "../../../src/analytics/store/columns.ts";
import { newStream } from "../live/live-helpers.ts";
import { newAsset } from "../playback/playable.ts";
import { newWorkspace, type TestWorkspace } from "../workspace.ts";
import { type Alert, newAlert } from "./alert-helpers.ts";
import { dataOf, sendView, storeView, TestPlayer } from "./beacon-helpers.ts";
import {
  handOverOnce,
  type MadeView,
  NOW_MS,
  putViews,
  setViewStore,
  simulatedViews,
  SPAN,
  TestTable,
} from "./distributed-helpers.ts";

const VIEWS = 300;
const HOUR_MS = 3600_000;

interface Installed {
  workspace: TestWorkspace;
  /** Replaced by their names in answers. */
  mediaId: string;
  streamId: string;
}

const table = new TestTable();
let [embedded, distributed, mixed]: Installed[] = [];
let views: MadeView[];

async function install(settings: object): Promise<Installed> {
  const workspace = await newWorkspace(settings);
  const { assetId } = await newAsset({ status: "ready", workspaceId: workspace.id, durationMs: 180_000 });
  const { streamId } = await newStream(workspace);
  return { workspace, mediaId: assetId, streamId };
}

/** The views with the contents of the workspace: a third each plays the media, the stream, and something else. */
const playedIn = ({ mediaId, streamId }: Installed, from: number, to: number): MadeView[] =>
  views.slice(from, to).map(({ view, timeline }, index) => {
    const kind = (from + index) % 3;
    const content = { mediaId: kind === 0 ? mediaId : null, fpLiveStreamId: kind === 1 ? streamId : null };
    return { view: { ...view, ...content }, timeline };
  });

beforeAll(async () => {
  views = simulatedViews(VIEWS, NOW_MS);
  [embedded, distributed, mixed] = [await install({}), await install(table.settings), await install(table.settings)];
  for (const { workspace } of [distributed, mixed]) await setViewStore(workspace.id, "distributed");
  await putViews(embedded.workspace.id, playedIn(embedded, 0, VIEWS));
  await putViews(distributed.workspace.id, playedIn(distributed, 0, VIEWS));
  await putViews(mixed.workspace.id, playedIn(mixed, 0, VIEWS - 60));
  for (const { workspace } of [distributed, mixed])
    for (const laterMs of [0, 0, 2 * HOUR_MS])
      // sends, confirms, and deletes
      await handOverOnce(workspace.id, table, { nowMs: Date.now() + laterMs });
  await putViews(mixed.workspace.id, playedIn(mixed, VIEWS - 60, VIEWS));
}, 120_000);

/** With the names of the contents instead of their ids. */
const named = ({ mediaId, streamId, workspace }: Installed, text: string) =>
  text.replaceAll(mediaId, "MEDIA").replaceAll(streamId, "STREAM").replaceAll(workspace.id, "WORKSPACE");
const inWorkspace = ({ mediaId, streamId }: Installed, path: string) =>
  path.replaceAll("MEDIA", mediaId).replaceAll("STREAM", streamId);

async function ask(of: Installed, path: string): Promise<{ data: unknown }> {
  const answer = await of.workspace.request("GET", `/v1/data/${inWorkspace(of, path)}`);
  const text = named(of, await answer.text());
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`);
  return JSON.parse(text) as { data: unknown };
}

/** Sums of decimals differ in their last digits with the order of the addends. @param share of the expected value */
function expectNear(value: unknown, expected: unknown, share: number, path: string): void {
  if (typeof expected === "number" && typeof value === "number") {
    const isNear = Math.abs(value - expected) <= Math.abs(expected) * share;
    expect({ path, value, expected, isNear }).toMatchObject({ isNear: true });
  } else if (typeof expected === "object" && expected !== null && typeof value === "object" && value !== null) {
    expect({ path, names: Object.keys(value) }).toEqual({ path, names: Object.keys(expected) });
    for (const [name, one] of Object.entries(expected))
      expectNear((value as Record<string, unknown>)[name], one, share, `${path}.${name}`);
  } else expect({ path, value }).toEqual({ path, value: expected });
}

async function expectSame(path: string): Promise<unknown> {
  const expected = await ask(embedded!, path);
  for (const of of [distributed!, mixed!]) expectNear(await ask(of, path), expected, 1e-9, path);
  return expected.data;
}

test.each(["media/MEDIA", "streams/STREAM"])("engagement of %s, with filters and time spans", async (content) => {
  const whole = (await expectSame(`${content}/engagement?${SPAN}`)) as {
    totalViews: number;
    intervals: { views: number }[];
  };
  expect(whole.totalViews).toBeGreaterThan(VIEWS / 5);
  expect(Math.max(...whole.intervals.map((interval) => interval.views))).toBeGreaterThan(1);
  await expectSame(`${content}/engagement?${SPAN}&filterby[]=country:DE&filterby[]=!browser_name:Chrome`);
  const week = `timespan[]=${NOW_MS / 1000 - 7 * 86_400}&timespan[]=${NOW_MS / 1000}`;
  const { totalViews } = (await expectSame(`${content}/engagement?${week}`)) as { totalViews: number };
  expect(totalViews).toBeLessThan(whole.totalViews);
});

interface Item {
  value: number | null;
  metric: string;
  measurement: string | null;
  items: Item[] | null;
}

test("the comparison of all metrics: quantiles within one per cent, and everything else exact", async () => {
  const path = `metrics/comparison?${SPAN}&filterby[]=!country:US`;
  const leaves = (items: Item[]): Item[] => items.flatMap((item) => [item, ...leaves(item.items ?? [])]);
  const expected = leaves((await ask(embedded!, path)).data as Item[]);
  expect(expected.filter(({ value }) => value !== null).length).toBeGreaterThan(25);
  const before = (await table.statements()).length;
  for (const installed of [distributed!, mixed!]) {
    const found = leaves((await ask(installed, path)).data as Item[]);
    expect(found.length).toBe(expected.length);
    for (const [index, item] of found.entries()) {
      const isQuantile = ["median", "95th"].includes(item.measurement ?? "");
      const name = `${item.metric} ${item.measurement}`;
      const of = { ...item, items: null };
      expectNear(of, { ...expected[index], items: null }, isQuantile ? 0.01 : 1e-9, name);
    }
  }
  // A statement takes a second or more of R2 SQL, so there is one for all sums, and one for each column with quantiles.
  expect((await table.statements()).length - before).toBeLessThan(2 * 18);
});

test("the comparison of no views", async () => {
  await expectSame(`metrics/comparison?${SPAN}&filterby[]=country:nowhere`);
});

describe("a list", () => {
  const [{ view: some }, { view: other }] = [
    { view: { country: "DE", browserName: "Chrome" } },
    { view: { country: "US", browserName: "Safari" } },
  ];
  test.each([
    ["of one value", `filterby[]=country:${some.country}`],
    ["of two values of a dimension", `filterby[]=country:${some.country}&filterby[]=country:${other.country}`],
    ["of values of two dimensions", `filterby[]=country:${some.country}&filterby[]=browser_name:${some.browserName}`],
    ["without a value", `filterby[]=!country:${some.country}`],
    ["without two values", `filterby[]=!country:${some.country}&filterby[]=!country:${other.country}`],
    ["of views without a value of the dimension", "filterby[]=error_code:"],
    ["of views with any value of the dimension", "filterby[]=!error_code:"],
    ["of a value or none", `filterby[]=media_id:&filterby[]=media_id:MEDIA`],
    ["of a media", "filterby[]=media_id:MEDIA"],
    ["of a stream", "filterby[]=fp_live_stream_id:STREAM"],
    ["of a value that contradicts another filter", `filterby[]=country:DE&filterby[]=!country:DE`],
    ["of a value with quotes and comments", `filterby[]=video_title:${encodeURIComponent("' OR '1'='1' -- /*")}`],
  ])("%s", async (_, filter) => {
    for (const rest of ["limit=50&sortOrder=desc", "limit=7&offset=2&sortOrder=asc"])
      await expectSame(`viewlist?${SPAN}&${filter}&${rest}`);
  });

  test("of an error, and of a viewer", async () => {
    const failed = views.find(({ view }) => view.errorCode !== null)!.view;
    for (const query of [`errorCode=${failed.errorCode}`, `viewerId=${failed.viewerId}`]) {
      const data = (await expectSame(`viewlist?${SPAN}&${query}&limit=50`)) as unknown[];
      expect(data.length).toBeGreaterThan(0);
    }
  });

  test("by any dimension has the views that have the value", async () => {
    for (const dimension of DIMENSIONS) {
      const columns = { media_id: "MEDIA", fp_live_stream_id: "STREAM" } as Record<string, string>;
      const value = columns[dimension] ?? rowOf(views[0]!.view, 1)[dimension] ?? "";
      await expectSame(`viewlist?${SPAN}&limit=3&filterby[]=${dimension}:${encodeURIComponent(String(value))}`);
    }
  });
});

test.each(["json", "ndjson", "csv"])("an export as %s has each view once, with the same fields", async (format) => {
  const rowsOf = async (of: Installed, filterby: string[]) => {
    const timespan = [NOW_MS / 1000 - 50 * 86_400, NOW_MS / 1000].map(String);
    const answer = await of.workspace.request("POST", "/v1/data/viewlist", { timespan, filterby, format });
    const { data } = await answer.json<{ data: { url: string; rows: number } }>();
    const { pathname, search } = new URL(data.url);
    const bytes = await (await of.workspace.request("GET", pathname + search)).arrayBuffer();
    const text = named(of, new TextDecoder().decode(bytes));
    const lines =
      format === "json" ? (JSON.parse(text) as object[]).map((row) => JSON.stringify(row)) : text.trim().split(/\r?\n/);
    expect(lines.length - (format === "csv" ? 1 : 0)).toBe(data.rows);
    return lines.toSorted();
  };
  for (const filterby of [[], ["country:DE"], ["!country:DE", "media_id:"]]) {
    const expected = await rowsOf(embedded!, filterby);
    expect(expected.length).toBeGreaterThan(10);
    for (const of of [distributed!, mixed!]) expect(await rowsOf(of, filterby)).toEqual(expected);
  }
});

test("running views are in now and in the current views while others are handed over", async () => {
  const { workspace } = await install(table.settings);
  await setViewStore(workspace.id, "distributed");
  const startMs = Date.now() - 20_000;
  const running = new TestPlayer(workspace.id);
  await sendView(workspace.id, [
    running.event("viewBegin", startMs, { vdtt: "Harbour" }),
    running.event("playing", startMs + 400, { vetitofifr: 400 }),
    running.event("pulse", Date.now() - 1000),
  ]);
  await sendView(workspace.id, new TestPlayer(workspace.id).completeView(startMs, { vdtt: "Ended" }));
  for (let run = 0; run < 2; run += 1) await handOverOnce(workspace.id, table);
  expect(await table.rows(workspace.id)).toBe(1);
  expect(await dataOf(workspace, "now")).toMatchObject({ viewers: 1, views: 1 });
  expect(await dataOf(workspace, "viewlist/current-views/filter?dimension=video_title")).toEqual([
    { concurrentViewers: 1, dimensionName: "Harbour", metricValue: 1 },
  ]);
  const minutes = await dataOf<{ numberOfViews: number }[]>(workspace, "viewlist/current-views/getTimeseriesViews");
  expect(Math.max(...minutes.map(({ numberOfViews }) => numberOfViews))).toBe(2);
  const titles = await dataOf<{ videoTitle: string; views: number }[]>(
    workspace,
    "viewlist/top-content?timespan[]=60:minutes",
  );
  expect(Object.fromEntries(titles.map(({ videoTitle, views: count }) => [videoTitle, count]))).toEqual({
    Ended: 1,
    Harbour: 1,
  });
});

describe("alerts", () => {
  const SETTLED_MS = 120_000;
  afterEach(() => vi.useRealTimers());

  const start = async () => {
    const { workspace } = await install(table.settings);
    await setViewStore(workspace.id, "distributed");
    let endMs = Math.ceil(Date.now() / BUCKET_MS) * BUCKET_MS;
    vi.useFakeTimers({ toFake: ["Date"], now: endMs - BUCKET_MS / 2 });
    const alert = await newAlert(workspace, { thresholdValue: 0.2, minViews: 4, recoveryBucketCount: 1 });
    const evaluate = (settings = table.settings) =>
      evaluateAlerts({ ...env, ...settings }, new Date(endMs + SETTLED_MS));
    return {
      workspace,
      /** Four views end in the bucket, and half of them can be read in the table. */
      haveViews: async (failures: number) => {
        for (let index = 0; index < 4; index += 1) {
          if (index === 2) for (let run = 0; run < 2; run += 1) await handOverOnce(workspace.id, table);
          await storeView(workspace.id, "Harbour", {}, index % 2 === 0 ? index < failures * 2 : false);
        }
      },
      evaluate,
      nextBucket: () => {
        endMs += BUCKET_MS;
        vi.setSystemTime(endMs - BUCKET_MS / 2);
      },
      found: () => dataOf<Alert>(workspace, `alerts/${alert.id}`),
      announced: async () => {
        const select = "SELECT type FROM events WHERE object_id = ? ORDER BY created_at";
        const { results } = await env.DB.prepare(select).bind(alert.id).all<{ type: string }>();
        return results.map(({ type }) => type);
      },
    };
  };

  test("are triggered and recover by views of the table and of the stores", async () => {
    const { workspace, haveViews, evaluate, nextBucket, found, announced } = await start();
    await haveViews(2);
    expect(await table.rows(workspace.id)).toBe(2);
    await evaluate();
    expect(await found()).toMatchObject({ status: "triggered", lastBucket: { views: 4, value: 0.5 } });
    nextBucket();
    await haveViews(0);
    await evaluate();
    expect(await found()).toMatchObject({ status: "ok", lastBucket: { views: 4, value: 0 } });
    expect(await announced()).toEqual(["data.alert.triggered", "data.alert.recovered"]);
  });

  test("are evaluated later when R2 SQL does not answer", async () => {
    const { haveViews, evaluate, found, announced } = await start();
    await haveViews(2);
    await evaluate({ ...table.settings, R2_SQL_TOKEN: "wrong" });
    expect(await found()).toMatchObject({ status: "ok", lastBucket: null });
    await evaluate();
    expect(await found()).toMatchObject({ status: "triggered", lastBucket: { views: 4, value: 0.5 } });
    expect(await announced()).toEqual(["data.alert.triggered"]);
  });
});

/** Questions about views of two months, compared with figures that are computed here. */
import { env } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import { METRIC_NAMES, type MetricName } from "../../../src/analytics/questions/metrics.ts";
import { monthOf } from "../../../src/analytics/store/months.ts";
import { viewStore } from "../../../src/analytics/store/store-calls.ts";
import { mergeEvents } from "../../../src/analytics/views/merged-view.ts";
import type { ViewEvent } from "../../../src/analytics/views/view-event.ts";
import { type ViewRecord, viewRecordOf } from "../../../src/analytics/views/view-record.ts";
import { newWorkspace, type TestWorkspace } from "../workspace.ts";

const VIEWS = 240;
const COUNTRIES = ["IT", "IN", null];
const DAY_MS = 86_400_000;

let workspace: TestWorkspace;
let views: ViewRecord[];
let span: string;
/** Within the later month, so one store answers. */
let oneMonth: { span: string; views: ViewRecord[] };

/** Numbers from 0 to 1, the same in each run. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function someView(index: number, startMs: number, random: () => number): ViewRecord {
  const [hasStarted, hasFailed] = [random() < 0.9, random() < 0.15];
  const startupMs = Math.round(random() * 4000);
  const watchMs = hasStarted ? startupMs + Math.round(random() * 60_000) : Math.round(random() * 3000);
  const events: ViewEvent[] = [
    {
      sequence: 1,
      name: "viewBegin",
      atMs: startMs,
      fields: {
        video_title: `Film ${index % 4}`,
        viewer_id: `viewer-${index % 50}`,
        page_load_time: 100 + (index % 7),
      },
    },
  ];
  if (hasStarted)
    events.push({
      sequence: 2,
      name: "playing",
      atMs: startMs + startupMs,
      fields: {
        view_time_to_first_frame: startupMs,
        view_rebuffer_count: index % 3,
        view_rebuffer_duration: (index % 3) * 250,
        ...(index % 5 === 0 ? { view_seek_count: 2, view_seek_duration: 90 } : {}),
        view_total_content_playback_time: watchMs,
        view_total_upscaling: random() * watchMs,
        view_max_upscale_percentage: 0.9,
      },
    });
  const end = { sequence: 3, atMs: startMs + watchMs, fields: { view_watch_time: watchMs } };
  const error = {
    player_error_code: index % 2,
    player_error_message: "broken",
    player_error_context: `track ${index}`,
  };
  events.push(
    hasFailed ? { ...end, name: "error", fields: { ...end.fields, ...error } } : { ...end, name: "viewCompleted" },
  );
  return viewRecordOf(mergeEvents(events), {
    workspaceId: workspace.id,
    viewId: crypto.randomUUID(),
    edge: { country: COUNTRIES[index % 3] } as never,
    content: null,
    isFinal: true,
    insertedAtMs: startMs,
    updatedAtMs: startMs,
  });
}

beforeAll(async () => {
  workspace = await newWorkspace();
  const random = randomNumbers(1);
  const recent = new Date(Date.now() - 3 * DAY_MS);
  const monthStartMs = Date.UTC(recent.getUTCFullYear(), recent.getUTCMonth());
  const fromMs = monthStartMs - 2 * DAY_MS; // the views of the first days are in another store
  const toMs = monthStartMs + 2 * DAY_MS;
  views = Array.from({ length: VIEWS }, (_, index) =>
    someView(index, fromMs + ((toMs - fromMs) * index) / VIEWS, random),
  );
  for (const view of views)
    await viewStore(env, { workspaceId: workspace.id, month: monthOf(view.viewEndMs) }).put({
      view,
      timeline: [],
      revision: 1,
    });
  const now = Math.ceil(Date.now() / 1000);
  span = `timespan[]=${Math.floor(fromMs / 1000)}&timespan[]=${now}`;
  oneMonth = {
    span: `timespan[]=${monthStartMs / 1000}&timespan[]=${now}`,
    views: views.filter(({ viewEndMs }) => viewEndMs >= monthStartMs),
  };
});

const ask = async <Answer>(path: string): Promise<Answer> => {
  const answer = await workspace.request("GET", `/v1/data/${path}`);
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return await answer.json<Answer>();
};

const VALUES: Record<Exclude<MetricName, "views" | "unique_viewers">, (view: ViewRecord) => number | null> = {
  playing_time: (view) => view.viewPlayingTime,
  quality_of_experience_score: (view) => view.qualityOfExperienceScore,
  playback_score: (view) => view.playbackScore,
  playback_failure_percentage: (view) => Number(view.viewHasError),
  exit_before_video_start: (view) => Number(view.exitBeforeVideoStart),
  video_startup_failure_percentage: (view) => Number(view.videoStartupFailed),
  startup_score: (view) => view.startupScore,
  video_startup_time: (view) => view.videoStartupTime,
  player_startup_time: (view) => view.playerInitializationTime,
  page_load_time: (view) => view.pageLoadTime,
  total_startup_time: (view) => view.totalStartupTime,
  live_stream_latency: (view) => view.liveStreamLatency,
  average_bitrate: (view) => view.averageBitrate,
  buffer_count: (view) => view.bufferCount,
  render_quality_score: (view) => view.renderQualityScore,
  avg_upscaling: (view) => view.avgUpscaling,
  avg_downscaling: (view) => view.avgDownscaling,
  max_upscaling: (view) => view.maxUpscaling,
  max_downscaling: (view) => view.maxDownscaling,
  jump_latency: (view) => view.jumpLatency,
  stability_score: (view) => view.stabilityScore,
  buffer_ratio: (view) => view.bufferRatio,
  buffer_frequency: (view) => view.bufferFrequency,
  buffer_fill: (view) => view.bufferFill,
};

function expectedValue(metric: MetricName, measurement: string, all: ViewRecord[]): number | null {
  if (metric === "views") return all.length;
  if (metric === "unique_viewers") return new Set(all.map(({ viewerId }) => viewerId)).size;
  const values = all.map(VALUES[metric]).filter((value) => value !== null);
  values.sort((one, other) => one - other);
  const sum = values.reduce((total, value) => total + value, 0);
  if (measurement === "count") return values.length;
  if (values.length === 0) return null;
  if (measurement === "sum") return sum;
  if (measurement === "avg") return sum / values.length;
  const position = (measurement === "95th" ? 0.95 : 0.5) * (values.length - 1);
  const [below, above] = [values[Math.floor(position)]!, values[Math.ceil(position)]!];
  return below + (above - below) * (position % 1);
}

const near = (value: number | null): unknown => (value === null ? null : expect.closeTo(value, 6));
const sumOf = (all: ViewRecord[], read: (view: ViewRecord) => number) => all.reduce((sum, view) => sum + read(view), 0);

const twoMonths = () => ({ span, views });

test("the views are in two stores", () => {
  expect(new Set(views.map(({ viewEndMs }) => monthOf(viewEndMs))).size).toBe(2);
});

describe.each([
  ["two months", twoMonths],
  ["one month", () => oneMonth],
])("over all views of %s", (_, given) => {
  test.each(METRIC_NAMES)("%s is exact in each measurement", async (metric) => {
    const all = given();
    const italian = all.views.filter(({ country }) => country === "IT");
    for (const measurement of ["avg", "sum", "count", "median", "95th"]) {
      const path = `metrics/${metric}/overall?${all.span}&measurement=${measurement}&filterby[]=country:IT`;
      expect([measurement, (await ask<{ data: object }>(path)).data]).toEqual([
        measurement,
        {
          value: near(expectedValue(metric, measurement, italian)),
          globalValue: near(expectedValue(metric, measurement, all.views)),
          totalViews: italian.length,
          uniqueViews: new Set(italian.map(({ viewerId }) => viewerId)).size,
          totalWatchTime: sumOf(italian, ({ watchTime }) => watchTime),
          totalPlayTime: sumOf(italian, ({ viewPlayingTime }) => viewPlayingTime),
        },
      ]);
    }
  });

  test.each(["median", "95th", "avg"])("a breakdown by country is exact: %s", async (measurement) => {
    const all = given();
    const path = `metrics/video_startup_time/breakdown?${all.span}&groupBy=country&measurement=${measurement}&orderBy=field&sortOrder=asc`;
    const { data } = await ask<{ data: { field: string | null; value: number }[] }>(path);
    expect(data.map(({ field, value }) => [field, value])).toEqual(
      [null, "IN", "IT"].map((country) => [
        country,
        near(
          expectedValue(
            "video_startup_time",
            measurement,
            all.views.filter((view) => view.country === country),
          ),
        ),
      ]),
    );
  });

  test("the comparison has scores of the views that did not fail, and the other metrics of all", async () => {
    const all = given();
    const { data } = await ask<{ data: Item[] }>(`metrics/comparison?${all.span}&dimension=country&value=IN`);
    const own = all.views.filter(({ country }) => country === "IN");
    const succeeded = own.filter(({ viewHasError }) => !viewHasError);
    const flat = (items: Item[]): Item[] => items.flatMap((item) => [item, ...flat(item.items ?? [])]);
    const found = flat(data).map(({ metric, measurement, value }) => [metric, measurement, value]);
    expect(found).toEqual(
      flat(data).map(({ metric, measurement }) => {
        const name = SHOWN_AS[metric] ?? (metric as MetricName);
        const of = name.endsWith("score") ? succeeded : own;
        return [metric, measurement, near(expectedValue(name, measurement ?? "avg", of))];
      }),
    );
    expect(found).toHaveLength(42);
    expect(found).toContainEqual(["live_stream_latency", "95th", null]);
    expect(found).toContainEqual(["views", "count", own.length]);
  });

  test("the value of a comparison and the person of a list restrict filters of the same dimension further", async () => {
    const all = given();
    const compared = `metrics/comparison?${all.span}&dimension=country&value=IN`;
    const viewsOf = async (query: string) => {
      const { data } = await ask<{ data: Item[] }>(query);
      return data.find(({ metric }) => metric === "views")?.value;
    };
    const inIndia = all.views.filter(({ country }) => country === "IN").length;
    expect(inIndia).toBeGreaterThan(0);
    expect(await viewsOf(`${compared}&filterby[]=country:US`)).toBe(0);
    expect(await viewsOf(`${compared}&filterby[]=country:US&filterby[]=country:IN`)).toBe(inIndia);
    const { viewerId } = all.views.find((view) => view.viewerId !== null)!;
    const listed = async (query: string) =>
      (await ask<{ data: unknown[] }>(`viewlist?${all.span}&${query}`)).data.length;
    expect(await listed(`viewerId=${viewerId}`)).toBeGreaterThan(0);
    expect(await listed(`viewerId=${viewerId}&filterby[]=viewer_id:someone-else`)).toBe(0);
  });
});

interface Item {
  metric: string;
  measurement: string | null;
  value: number | null;
  items: Item[] | null;
}
/** The names of the comparison that differ from those of metrics. */
const SHOWN_AS: Record<string, MetricName> = {
  overall_score: "quality_of_experience_score",
  playback_success_score: "playback_score",
  upscale_percentage: "avg_upscaling",
  downscale_percentage: "avg_downscaling",
  max_upscale_percentage: "max_upscaling",
  max_downscale_percentage: "max_downscaling",
};

test("a breakdown has one row for each value of the dimension, sorted and in pages", async () => {
  interface Rows {
    data: { field: string | null; views: number; value: number }[];
    pagination: object;
  }
  const path = `metrics/video_startup_time/breakdown?${span}&groupBy=country&measurement=median`;
  const page = (offset: number) => ask<Rows>(`${path}&orderBy=field&limit=2&offset=${offset}`);
  const [first, second] = [await page(1), await page(2)];
  expect(first.pagination).toEqual({ totalRecords: 3, currentOffset: 1, offsetCount: 2 });
  expect([...first.data, ...second.data]).toEqual(
    [null, "IN", "IT"].map((country) => {
      const own = views.filter((view) => view.country === country);
      return {
        field: country,
        views: own.length,
        value: near(expectedValue("video_startup_time", "median", own)),
        totalWatchTime: sumOf(own, ({ watchTime }) => watchTime),
        totalPlayingTime: sumOf(own, ({ viewPlayingTime }) => viewPlayingTime),
      };
    }),
  );
  const falling = await ask<Rows>(`${path}&orderBy=value&sortOrder=desc&limit=3`);
  const values = falling.data.map(({ value }) => value);
  expect(values).toEqual(values.toSorted((one, other) => other - one));
});

test("a time series has a row for each interval, and their views are all of them", async () => {
  interface Series {
    data: { intervalTime: string; metricValue: number | null; numberOfViews: number }[];
    timespan: [number, number];
  }
  const { data, timespan } = await ask<Series>(`metrics/playing_time/timeseries?${span}&groupBy=hour&measurement=sum`);
  const hour = 3_600_000;
  expect(data).toHaveLength(Math.ceil(timespan[1] / hour) - Math.floor(timespan[0] / hour));
  expect(data.reduce((sum, { numberOfViews }) => sum + numberOfViews, 0)).toBe(VIEWS);
  for (const { intervalTime, metricValue, numberOfViews } of data) {
    const startMs = Date.parse(intervalTime);
    const own = views.filter(({ viewEndMs }) => viewEndMs >= startMs && viewEndMs < startMs + hour);
    expect([intervalTime, numberOfViews, metricValue]).toEqual([
      intervalTime,
      own.length,
      own.length === 0 ? null : near(sumOf(own, ({ viewPlayingTime }) => viewPlayingTime)),
    ]);
  }
});

test("pages of views are in the order of their end, without a gap, across months and in both directions", async () => {
  interface Views {
    data: { viewId: string }[];
    pagination: { totalRecords: number };
  }
  const sorted = views.toSorted((one, other) => one.viewEndMs - other.viewEndMs).map(({ viewId }) => viewId);
  for (const [order, expected] of [["asc", sorted] as const, ["desc", sorted.toReversed()] as const]) {
    const ids: string[] = [];
    for (let page = 1; page <= 5; page += 1) {
      const path = `viewlist?${span}&limit=50&offset=${page}&sortOrder=${order}`;
      const { data, pagination } = await ask<Views>(path);
      expect(pagination.totalRecords).toBe(VIEWS);
      ids.push(...data.map(({ viewId }) => viewId));
    }
    expect(ids).toEqual(expected);
  }
  const far = await ask<Views>(`viewlist?${span}&limit=50&offset=1000000000`);
  expect(far.data).toEqual([]);
});

test("filters: values of a dimension are alternatives, dimensions hold together, exclusions keep what has no value", async () => {
  const count = async (filters: string) =>
    (await ask<{ data: { value: number } }>(`metrics/views/overall?${span}${filters}`)).data.value;
  const of = (isIn: (view: ViewRecord) => boolean) => views.filter(isIn).length;
  expect(await count("&filterby[]=country:IT&filterby[]=country:IN")).toBe(of(({ country }) => country !== null));
  expect(await count("&filterby[]=country:")).toBe(of(({ country }) => country === null));
  expect(await count("&filterby[]=!country:IT")).toBe(of(({ country }) => country !== "IT"));
  expect(await count("&filterby[]=!country:IT&filterby[]=video_title:Film 1")).toBe(
    of(({ country, videoTitle }) => country !== "IT" && videoTitle === "Film 1"),
  );
  expect(await count("&filterby[]=playback_failed:true")).toBe(of(({ viewHasError }) => viewHasError));
  expect(await count(`&filterby[]=${encodeURIComponent("video_title:x' OR '1'='1' --")}`)).toBe(0);
});

test("errors have their shares of views and of viewers and the context of the latest, the most frequent first", async () => {
  interface Errors {
    data: {
      errors: { code: string; count: number; percentage: number; description: string | null; notes: string }[];
      topErrors: { code: string; uniqueViewersEffectedPercentage: number }[];
    };
  }
  const { data } = await ask<Errors>(`errors?${span}&limit=50`);
  const failed = views.filter(({ viewHasError }) => viewHasError);
  const viewers = (all: ViewRecord[]) => new Set(all.map(({ viewerId }) => viewerId)).size;
  for (const { code, count, percentage, description, notes } of data.errors) {
    const own = failed.filter(({ errorCode }) => errorCode === code);
    const latest = own.reduce((one, other) => (other.viewEndMs > one.viewEndMs ? other : one));
    expect([code, count, percentage]).toEqual([code, own.length, near(own.length / VIEWS)]);
    expect([description, notes]).toEqual([latest.errorContext, ""]);
    const top = data.topErrors.find((one) => one.code === code)!;
    expect(top.uniqueViewersEffectedPercentage).toBeCloseTo(viewers(own) / viewers(views), 9);
  }
  const counts = data.errors.map(({ count }) => count);
  expect(counts).toEqual(counts.toSorted((one, other) => other - one));
  expect(counts.reduce((sum, one) => sum + one, 0)).toBe(failed.length);
});

describe("a question is refused with what would be right:", () => {
  test.each([
    ["metrics/views/overall?timespan[]=5:years", "Invalid timespan value", "timespan[]"],
    ["metrics/views/overall?timespan[]=200&timespan[]=100", "Invalid timespan value", "timespan[]"],
    ["metrics/views/overall?timespan[]=1&timespan[]=2&timespan[]=3", "Invalid timespan value", "timespan[]"],
    ["metrics/views/overall?timespan[0]=24:hours", "Invalid timespan value", "timespan[0]"],
    ["viewlist?timespan[0]=100&timespan[1]=200", "Invalid timespan value", "timespan[0]"],
    ["errors?timespan%5Bfrom%5D=100", "Invalid timespan value", "timespan[from]"],
    ["viewlist/top-content?filterby[0]=country:IT", "payload validation failed", "filterby[0]"],
    ["metrics/views/overall?filterby[]=colour:red", "payload validation failed", "filterby[]"],
    ["metrics/views/overall?filterby[]=country", "payload validation failed", "filterby[]"],
    [`metrics/views/overall?${"filterby[]=country:IT&".repeat(200)}`, "payload validation failed", "filterby[]"],
    ["metrics/views/overall?measurement=mode", "payload validation failed", "measurement"],
    ["metrics/views/breakdown?limit=51", "payload validation failed", "limit"],
    ["metrics/views/breakdown?groupBy=colour", "payload validation failed", "groupBy"],
    ["metrics/views/timeseries?timespan[]=0&timespan[]=1700000000", "payload validation failed", "groupBy"],
    ["metrics/colours/overall", "payload validation failed", "metricId"],
    ["dimensions/colour", "payload validation failed", "dimensionsId"],
    ["viewlist?offset=0", "payload validation failed", "offset"],
    ["viewlist?orderBy=colour", "payload validation failed", "orderBy"],
  ])("%s", async (path, message, field) => {
    const answer = await workspace.request("GET", `/v1/data/${path}`);
    const { error } = await answer.json<{ error: { message: string; fields: { field: string }[] } }>();
    expect([answer.status, error.message, error.fields[0]!.field]).toEqual([422, message, field]);
  });
});

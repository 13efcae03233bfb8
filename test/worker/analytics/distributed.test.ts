/** The same views in both engines: every endpoint answers the same. The distributed one is asked over R2 SQL's API, on DuckDB. */
import * as fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { REMAINDER as REMAINDER_SQL } from "../../../src/analytics/store/hand-over-table.ts";
import { monthOf } from "../../../src/analytics/store/months.ts";
import { rowOf } from "../../../src/analytics/store/columns.ts";
import { DIMENSIONS } from "../../../src/analytics/store/dimensions.ts";
import { METRIC_NAMES } from "../../../src/analytics/questions/metrics.ts";
import { newWorkspace, type TestWorkspace } from "../workspace.ts";
import {
  countRows,
  handOverOnce,
  type MadeView,
  NOW_MS,
  putViews,
  setViewStore,
  simulatedViews,
  SPAN,
  TestTable,
} from "./distributed-helpers.ts";

const VIEWS = 1200;
/** Stored after the others were handed over, so they are still in the stores. */
const REMAINDER = 100;

const table = new TestTable();
let [embedded, distributed, mixed]: TestWorkspace[] = [];
let views: MadeView[];

beforeAll(async () => {
  embedded = await newWorkspace();
  [distributed, mixed] = [await newWorkspace(table.settings), await newWorkspace(table.settings)];
  views = simulatedViews(VIEWS, NOW_MS);
  for (const { id } of [distributed, mixed]) await setViewStore(id, "distributed");
  await putViews(embedded.id, views);
  await putViews(distributed.id, views);
  await putViews(mixed.id, views.slice(0, VIEWS - REMAINDER));
  for (const { id } of [distributed, mixed]) for (let run = 0; run < 2; run += 1) await handOverOnce(id, table); // sends, and then confirms
  await putViews(mixed.id, views.slice(VIEWS - REMAINDER));
}, 120_000);

type Answer = Record<string, unknown>;

const askOne = async (workspace: TestWorkspace, path: string): Promise<Answer> => {
  const answer = await workspace.request("GET", `/v1/data/${path}`);
  const body = await answer.json<Answer>();
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(body)}`);
  return body;
};

/** Sums of decimals differ in their last digits with the order of the addends. */
const near = (value: unknown, share = 1e-9): unknown => {
  if (typeof value === "number" && !Number.isInteger(value))
    return expect.closeTo(value, Math.max(0, Math.round(-Math.log10(Math.abs(value) * share || 1e-12))));
  if (Array.isArray(value)) return value.map((one) => near(one, share));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, near(one, share)]));
  return value;
};

async function expectSame(path: string): Promise<Answer> {
  const expected = await askOne(embedded!, path);
  for (const workspace of [distributed!, mixed!]) {
    const answer = await askOne(workspace, path);
    expect({ path, answer }).toEqual({ path, answer: near(expected) });
  }
  return expected;
}

describe("both engines answer the same to", () => {
  test.each(METRIC_NAMES)("the average of %s, overall", async (metric) => {
    const path = `metrics/${metric}/overall?${SPAN}&filterby[]=!country:US`;
    const { data } = (await expectSame(path)) as { data: { totalViews: number } };
    expect(data.totalViews).toBeGreaterThan(VIEWS / 4);
  });

  test.each(["sum", "count"])("the %s of a metric, overall", async (measurement) => {
    for (const metric of ["video_startup_time", "startup_score"])
      await expectSame(`metrics/${metric}/overall?${SPAN}&measurement=${measurement}`);
  });

  test.each(["country", "viewer_id", "browser_name", "error_code", "custom_1", "video_title"])(
    "a breakdown by %s, page by page",
    async (dimension) => {
      for (const rest of ["&orderBy=field&limit=50", "&orderBy=field&limit=7&offset=2&sortOrder=desc"]) {
        const path = `metrics/buffer_fill/breakdown?${SPAN}&groupBy=${dimension}&measurement=sum${rest}`;
        await expectSame(path);
      }
    },
  );

  test("a time series by day and by hour", async () => {
    for (const interval of ["day", "hour"])
      await expectSame(`metrics/playing_time/timeseries?${SPAN}&groupBy=${interval}&measurement=sum`);
  });

  test("pages of views in both orders, and a view by its id with its events", async () => {
    const { data } = (await expectSame(`viewlist?${SPAN}&limit=50&offset=3&sortOrder=desc`)) as {
      data: { viewId: string }[];
    };
    expect(data).toHaveLength(50);
    await expectSame(`viewlist?${SPAN}&limit=50&offset=17&filterby[]=country:!`.replace(":!", ":DE"));
    await expectSame(`viewlist?${SPAN}&limit=13&offset=2&viewerId=${views[0]!.view.viewerId}`);
    for (const { viewId } of data.slice(0, 3)) {
      const [one, other] = [
        await askOne(embedded!, `viewlist/${viewId}`),
        await askOne(distributed!, `viewlist/${viewId}`),
      ];
      const record = one["data"] as Answer;
      expect(record["events"]).not.toEqual([]);
      expect(other).toEqual({ ...one, data: { ...record, workspaceId: distributed!.id } });
    }
  });

  test("errors with their views and viewers, titles, and values of a dimension", async () => {
    const { data } = (await expectSame(`errors?${SPAN}&limit=50`)) as { data: { errors: { description: string }[] } };
    expect(data.errors.length).toBeGreaterThan(1);
    for (const { description } of data.errors) expect(description).toMatch(/^decoder of view \d+, "it's"$/);
    await expectSame(`viewlist/top-content?${SPAN}&limit=50`);
    await expectSame(`dimensions/device_type?${SPAN}`);
  });

  test("any filters", async () => {
    const value = (dimension: string) => {
      const known = [...new Set(views.slice(0, 60).map(({ view }) => valueOf(view, dimension)))];
      return fc.oneof(
        fc.constantFrom(...known, ""),
        fc.string({ unit: "grapheme", maxLength: 12 }),
        fc.constantFrom(...HOSTILE),
      );
    };
    const filter = fc
      .constantFrom(
        "country",
        "browser_name",
        "video_title",
        "viewer_id",
        "error_code",
        "connection_type",
        ...DIMENSIONS,
      )
      .chain((dimension) => fc.tuple(fc.constant(dimension), value(dimension), fc.boolean()));
    await fc.assert(
      fc.asyncProperty(fc.array(filter, { minLength: 1, maxLength: 5 }), async (filters) => {
        const query = filters.map(
          ([dimension, text, not]) =>
            `filterby[]=${not ? "!" : ""}${dimension}:${encodeURIComponent(text.toWellFormed())}`,
        );
        await expectSame(`metrics/unique_viewers/overall?${SPAN}&${query.join("&")}`);
      }),
      { numRuns: 25, seed: 13 },
    );
  });
});

const HOSTILE = [
  "'",
  "''",
  "\\'",
  "' OR '1'='1",
  "x'; DROP TABLE views; --",
  "/* */",
  "--",
  "\u2028",
  "ʼ",
  "'||'",
  "%",
  "_",
];
const valueOf = (view: MadeView["view"], dimension: string): string => rowOf(view, 1)[dimension]?.toString() ?? "";

test("answers come from the table, and for the remainder from the stores", async () => {
  await expectSame(`metrics/views/overall?${SPAN}`);
  const own = (await table.statements()).filter((statement) => statement.includes(`'${distributed!.id}'`));
  expect(own.length).toBeGreaterThan(2);
  const counted = async (workspace: TestWorkspace, where: string) => {
    const counts = await Promise.all(
      [...new Set(views.map(({ view }) => monthOf(view.viewEndMs)))].map((month) =>
        countRows(workspace.id, month, where),
      ),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  };
  expect(await counted(distributed!, REMAINDER_SQL)).toBe(0);
  expect(await counted(mixed!, REMAINDER_SQL)).toBe(REMAINDER);
});

test.each(["median", "95th"])("a %s differs by at most one per cent", async (measurement) => {
  for (const country of ["DE", "US"]) {
    const path = `metrics/playing_time/breakdown?${SPAN}&groupBy=country&limit=50&filterby[]=country:${country}&measurement=${measurement}`;
    const value = async (workspace: TestWorkspace) =>
      ((await askOne(workspace, path))["data"] as { value: number }[])[0]!.value;
    const exact = await value(embedded!);
    for (const workspace of [distributed!, mixed!])
      expect(Math.abs((await value(workspace)) / exact - 1)).toBeLessThan(0.01);
  }
  for (const metric of ["video_startup_time", "playing_time", "average_bitrate"]) {
    const path = `metrics/${metric}/overall?${SPAN}&measurement=${measurement}`;
    const value = async (workspace: TestWorkspace) =>
      ((await askOne(workspace, path))["data"] as { value: number }).value;
    const exact = await value(embedded!);
    const found = [await value(distributed!), await value(mixed!)];
    const differences = found.map((one) => Math.abs(one / exact - 1));
    expect({ metric, exact, found, isNear: Math.max(...differences) < 0.01 }).toMatchObject({ metric, isNear: true });
  }
});

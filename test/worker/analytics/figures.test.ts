/** The comparison's figures of many views are exact, although few values are kept. */
import { env, runInDurableObject } from "cloudflare:test";
import { beforeAll, expect, test } from "vitest";
import type { ViewStore } from "../../../durable-objects/view-store.ts";
import type { Measure } from "../../../src/analytics/store/columns.ts";
import { figuresOf } from "../../../src/analytics/store/figures.ts";
import { quantileBetween } from "../../../src/analytics/store/neighbours.ts";
import type { Span, Wanted } from "../../../src/analytics/store/store-calls.ts";
import { ViewTable } from "../../../src/analytics/store/view-table.ts";
import type { ViewRecord } from "../../../src/analytics/views/view-record.ts";
import { finalView } from "./beacon-helpers.ts";

/** More than are read at once. */
const VIEWS = 9000;
const HOUR_MS = 3600_000;
const QUANTILES = [0.5, 0.95];
const RANKED: Measure[] = ["playing_ms", "startup_ms", "buffer_count", "live_latency_ms", "average_bitrate_bps"];
const WANTED: Wanted[] = [
  ...RANKED.map((column) => ({ column, quantiles: QUANTILES, isOfSucceeded: false })),
  { column: "experience_score", quantiles: [], isOfSucceeded: true },
];
const EVERYTHING: Span = { fromMs: 0, toMs: HOUR_MS, filters: { sql: "true", values: [] } };

/** Noise from 0 to 1, the same in each run. */
function noise(seed: number): number {
  const x = Math.sin(seed) * 43_758.545_3;
  return x - Math.floor(x);
}

/** The first views of each moment are slow to start, so a sample of them would be wrong. */
const startupMsOf = (index: number) => ((noise(index + 1) * 900_000) % 7031 < 2000 ? 9000 + index : index);

/** Stored once, because that takes longer than all tests together. More of them are in the first quarter of an hour than later. */
const store = env.VIEW_STORE.get(env.VIEW_STORE.newUniqueId());

beforeAll(() => {
  const base = finalView("w", [{ sequence: 1, name: "viewBegin", atMs: 0, fields: {} }]);
  return runInDurableObject(store, (_: ViewStore, { storage }) => {
    const views = new ViewTable(storage);
    storage.transactionSync(() => {
      for (let index = 0; index < VIEWS; index += 1) {
        const any = noise(index + 1);
        const view: ViewRecord = {
          ...base,
          viewId: crypto.randomUUID(),
          viewerId: `viewer-${index % 3000}`,
          viewEndMs: Math.floor(index % 2 === 0 ? any * 900_000 : any * HOUR_MS),
          viewPlayingTime: Math.round(600_000 * noise(index + 0.5)),
          videoStartupTime: startupMsOf(index),
          bufferCount: any < 0.8 ? 0 : Math.floor(any * 10),
          liveStreamLatency: index % 100 === 0 ? any * 5000 : null,
          averageBitrate: index < 3 ? any : null,
          qualityOfExperienceScore: any * 100,
          viewHasError: index % 7 === 0,
          country: index % 3 === 0 ? "IN" : "DE",
        };
        views.put({ view, timeline: [], revision: 1 });
      }
    });
  });
});

const inStore = (work: (views: ViewTable, sql: SqlStorage, storage: DurableObjectStorage) => void) =>
  runInDurableObject(store, (_: ViewStore, { storage }) => work(new ViewTable(storage), storage.sql, storage));

function figures(views: ViewTable, span: Span, valuesAtOnce?: number) {
  const {
    columns,
    viewers,
    views: count,
  } = figuresOf(views, span, WANTED, valuesAtOnce === undefined ? {} : { valuesAtOnce });
  const interpolated = columns.map(({ neighbours, ...one }, index) => ({
    ...one,
    quantiles: neighbours.map((pair, at) => pair && quantileBetween(pair, WANTED[index]!.quantiles[at]!, one.count)),
  }));
  return { views: count, viewers, columns: interpolated };
}

/** The figures computed by SQL. */
function expected(sql: SqlStorage, { fromMs, toMs, filters }: Span) {
  const from = `FROM views WHERE view_end_ms >= ${fromMs} AND view_end_ms < ${toMs} AND ${filters.sql}`;
  const one = (select: string) => sql.exec<Record<string, number>>(`SELECT ${select} ${from}`, ...filters.values).one();
  const columns = WANTED.map(({ column, quantiles, isOfSucceeded }) => {
    const where = isOfSucceeded ? " AND has_failed = 0" : "";
    const values = sql
      .exec<{ value: number }>(
        `SELECT ${column} AS value ${from} AND ${column} IS NOT NULL${where} ORDER BY 1`,
        ...filters.values,
      )
      .toArray()
      .map(({ value }) => value);
    return {
      column,
      total: expect.closeTo(
        values.reduce((sum, value) => sum + value, 0),
        3,
      ) as number,
      count: values.length,
      quantiles: quantiles.map((share) => {
        const position = share * (values.length - 1);
        const [lower, upper = lower] = values.slice(Math.floor(position));
        return lower === undefined ? null : expect.closeTo(lower + (upper! - lower) * (position % 1), 6);
      }),
    };
  });
  const { views, viewers } = one("count(*) AS views, count(DISTINCT viewer_key) AS viewers");
  return { views, viewers, columns };
}

test("figures equal those of SQL for any filter, when all values are kept and when few are, although a sample of them would be wrong", async () => {
  await inStore((views, sql) => {
    for (const span of [
      EVERYTHING,
      { ...EVERYTHING, filters: { sql: "country = ? AND has_failed = ?", values: ["IN", 0] } },
      { ...EVERYTHING, fromMs: 100_000, toMs: 2_000_000 },
      { ...EVERYTHING, filters: { sql: "country = ?", values: ["US"] } },
    ])
      for (const valuesAtOnce of [4_000_000, 20_000, 1])
        expect(figures(views, span, valuesAtOnce)).toEqual(expected(sql, span));
  });
});

// Last, because it changes the table.
test("the views of an earlier release are counted too", async () => {
  await inStore((_, sql, storage) => {
    sql.exec("DROP INDEX views_over_time");
    sql.exec("ALTER TABLE views DROP COLUMN figures");
    sql.exec("CREATE INDEX views_by_end ON views (view_end_ms)");
    const reopened = new ViewTable(storage);
    expect(figures(reopened, EVERYTHING)).toEqual(expected(sql, EVERYTHING));
  });
});

/** Quantiles of several groups of very many views come from a sketch per group (`approx_percentile_cont`), and views of the stores are added. */
import { env } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import { Random } from "../../../scripts/simulate/random.ts";
import { groupDistributed } from "../../../src/analytics/engines/group-distributed.ts";
import { ALL, byDimension } from "../../../src/analytics/questions/group-key.ts";
import type { Measurement } from "../../../src/analytics/questions/metrics.ts";
import { r2SqlSettings } from "../../../src/analytics/r2-sql/settings.ts";
import { monthOf } from "../../../src/analytics/store/months.ts";
import { viewStore } from "../../../src/analytics/store/store-calls.ts";
import { newWorkspace } from "../workspace.ts";
import { inStore, putViews, simulatedViews, TestTable } from "./distributed-helpers.ts";

const nowMs = Date.now();
const month = monthOf(nowMs);
const ROWS = 24_000;
const COUNTRIES = ["DE", "US", "IT", "JP"];
/** Views of one country in its store, longer than those of the table. */
const HERE = 600;
const SHARES = { median: 0.5, "95th": 0.95 } as const;

const table = new TestTable();
/** Playing times by country. */
const values = new Map(COUNTRIES.map((country) => [country, [] as number[]]));
let workspaceId: string;

beforeAll(async () => {
  const random = new Random(11);
  workspaceId = (await newWorkspace()).id;
  const rows = Array.from({ length: ROWS }, (_, index) => {
    const country = COUNTRIES[Math.floor(random.next() ** 2 * COUNTRIES.length)]!;
    const playing = random.around(60_000, 1.4);
    values.get(country)!.push(playing);
    const of = { workspace_id: workspaceId, month, batch: 1, view_id: `view-${index}`, viewer_key: `viewer-${index}` };
    return { ...of, view_start_ms: nowMs - 60_000, view_end_ms: nowMs - 1000, country, playing_ms: playing };
  });
  for (let at = 0; at < ROWS; at += 4000) await table.send(rows.slice(at, at + 4000));
  await viewStore(env, { workspaceId, month }).readRemainder({ workspaceId, month, queries: [] });
  await inStore(workspaceId, month, "UPDATE hand_over SET line = 2");
  const here = simulatedViews(HERE, nowMs).map(({ view, timeline }, index) => {
    const playing = 1_000_000 + index;
    values.get("DE")!.push(playing);
    const change = { viewId: crypto.randomUUID(), viewEndMs: nowMs - 1000, country: "DE", viewPlayingTime: playing };
    return { view: { ...view, ...change }, timeline };
  });
  await putViews(workspaceId, here);
}, 60_000);

/** @param maxBinned views up to which the values are counted in bins */
const ask = async (measurement: Measurement, maxBinned: number, key = byDimension("country")) => {
  const settings = r2SqlSettings({ ...env, ...table.settings })!;
  const scope = { fromMs: nowMs - 3600_000, toMs: nowMs, filters: [] };
  const question = { scope, metric: "playing_time", measurement, key } as const;
  const groups = await groupDistributed({ env, settings, workspaceId, nowMs }, question, maxBinned);
  return new Map(groups.map((group) => [group.key, group]));
};
/** The share of smaller values. */
const rankOf = (value: number, all: readonly number[]) => all.filter((one) => one < value).length / all.length;

describe.each(["median", "95th"] as const)("the %s of each group", (measurement) => {
  test("is within a point of the share by sketches, also where views of the stores are added", async () => {
    const groups = await ask(measurement, 0);
    expect([...groups.keys()].map(String).toSorted()).toEqual(COUNTRIES.toSorted());
    for (const [country, all] of values) {
      const { value, views } = groups.get(country)!;
      expect(views).toBe(all.length);
      expect({ country, isNear: Math.abs(rankOf(value!, all) - SHARES[measurement]) < 0.01 }).toEqual({
        country,
        isNear: true,
      });
    }
    const own = (await table.statements()).filter((statement) => statement.includes("approx_percentile_cont"));
    expect(own.length).toBeGreaterThan(0);
  });

  test("is within 0.2 % of the value by bins", async () => {
    const groups = await ask(measurement, ROWS);
    for (const [country, all] of values) {
      const sorted = all.toSorted((one, other) => one - other);
      const exact = sorted[Math.round(SHARES[measurement] * (all.length - 1))]!;
      const isNear = Math.abs(groups.get(country)!.value! / exact - 1) < 0.0025;
      expect({ country, isNear }).toEqual({ country, isNear: true });
    }
  });

  test("of all views comes from bins, however many there are", async () => {
    const before = (await table.statements()).length;
    const { value } = (await ask(measurement, 0, ALL)).get(null)!;
    const all = [...values.values()].flat().toSorted((one, other) => one - other);
    expect(Math.abs(value! / all[Math.round(SHARES[measurement] * (all.length - 1))]! - 1)).toBeLessThan(0.0025);
    const asked = (await table.statements()).slice(before);
    expect(asked.filter((statement) => statement.includes("approx_percentile_cont"))).toEqual([]);
  });
});

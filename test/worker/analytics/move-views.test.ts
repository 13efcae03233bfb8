/** A workspace's views are copied to the distributed engine and back: each switch happens when the other engine has every view. */
import { env } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { setViewStore } from "../../../scripts/workspaces/view-stores.ts";
import { distributedEngine } from "../../../src/analytics/engines/distributed-engine.ts";
import { moveViews } from "../../../src/analytics/engines/move-views.ts";
import { embeddedEngine } from "../../../src/analytics/questions/embedded-engine.ts";
import { missingR2Sql, r2SqlSettings } from "../../../src/analytics/r2-sql/settings.ts";
import { monthOf } from "../../../src/analytics/store/months.ts";
import { viewStore } from "../../../src/analytics/store/store-calls.ts";
import { newWorkspace, type TestWorkspace } from "../workspace.ts";
import { dataOf } from "./beacon-helpers.ts";
import {
  countRows,
  handOverOnce,
  inStore,
  type MadeView,
  NOW_MS,
  putViews,
  simulatedViews,
  takeBackOnce,
  TestTable,
} from "./distributed-helpers.ts";

const VIEWS = 60;
const HOUR_MS = 3600_000;
const DAY_MS = 24 * HOUR_MS;
const month = monthOf(NOW_MS);

let table: TestTable;
let workspace: TestWorkspace;
/** Views of this month and of earlier ones. */
let views: MadeView[];
/** Those with views, the newest first. */
let months: string[];

const withOwnIds = (made: MadeView[]): MadeView[] =>
  made.map(({ view, timeline }) => ({ view: { ...view, viewId: crypto.randomUUID() }, timeline }));
beforeEach(async () => {
  await env.DB.prepare("DELETE FROM workspaces").run(); // each test has the cron to itself
  table = new TestTable();
  workspace = await newWorkspace(table.settings);
  views = withOwnIds(simulatedViews(VIEWS, NOW_MS));
  months = [...new Set(views.map(({ view }) => monthOf(view.viewEndMs)))].toSorted().toReversed();
  await putViews(workspace.id, views);
});
afterEach(() => void vi.restoreAllMocks());

/** D1, as `npm run data:move` reaches it. */
const database = {
  async run<Row>(statements: string[]) {
    let rows: Row[] = [];
    for (const sql of statements) rows = (await env.DB.prepare(sql).all<Row>()).results;
    return rows;
  },
};
const start = () => setViewStore(database, workspace.id, { from: "embedded", to: "moving" });
const stop = () => setViewStore(database, workspace.id, { from: "moving", to: "embedded" });
const back = () => setViewStore(database, workspace.id, { from: "distributed", to: "returning" });
const withSettings = () => ({ ...env, ...table.settings });
const runCron = (at = new Date()) => moveViews(withSettings(), at);
/** Runs the alarms of the stores as within some minutes. */
const handOverAll = async () => {
  for (let run = 0; run < 2; run += 1) await handOverOnce(workspace.id, table, { isSwitched: false });
};

const stateOf = () =>
  env.DB.prepare("SELECT view_store AS state, view_store_progress AS progress FROM workspaces WHERE id = ?")
    .bind(workspace.id)
    .first<{ state: string; progress: string }>();

const scope = { fromMs: NOW_MS - 60 * DAY_MS, toMs: NOW_MS + DAY_MS, filters: [] };
/** The ids of all views, as an export has them, by both engines. */
async function idsBy(name: "embedded" | "distributed"): Promise<string[]> {
  const of = { env, settings: r2SqlSettings(withSettings())!, workspaceId: workspace.id, nowMs: Date.now() };
  const engine = name === "embedded" ? embeddedEngine(env, workspace.id, Date.now()) : distributedEngine(of);
  const ids: string[] = [];
  for await (const page of engine.pages(scope)) ids.push(...page.map(({ viewId }) => viewId));
  expect(await engine.count(scope)).toBe(ids.length);
  return ids.toSorted();
}
const idsOf = (made: readonly MadeView[]) => made.map(({ view }) => view.viewId).toSorted();
const rowsHere = async (where = "1") =>
  (await Promise.all(months.map((one) => countRows(workspace.id, one, where)))).reduce((sum, one) => sum + one, 0);

describe("a move", () => {
  test("copies every month, says how far it is, deletes nothing before it switches, and loses nothing", async () => {
    expect(months.length).toBeGreaterThan(1);
    expect(await start()).toMatchObject({ isChanged: true, view_store: "moving" });
    await runCron();
    expect(await stateOf()).toEqual({ state: "moving", progress: `0 of ${VIEWS} views can be read in the table` });
    await handOverOnce(workspace.id, table, { isSwitched: false });
    await runCron();
    expect(await stateOf()).toMatchObject({ state: "moving" });
    await handOverOnce(workspace.id, table, { isSwitched: false, nowMs: Date.now() + 2 * HOUR_MS });
    expect(await rowsHere()).toBe(VIEWS);
    await runCron();
    expect(await stateOf()).toEqual({
      state: "distributed",
      progress: `${VIEWS} of ${VIEWS} views can be read in the table`,
    });
    expect(await idsBy("distributed")).toEqual(idsOf(views));
  });

  test("that is interrupted between two months continues, and has no view twice", async () => {
    await start();
    for (let run = 0; run < 2; run += 1)
      await handOverOnce(workspace.id, table, { isSwitched: false, months: months.slice(0, 1) });
    await runCron();
    const [first] = months;
    const inFirst = views.filter(({ view }) => monthOf(view.viewEndMs) === first).length;
    const words = `${inFirst} of ${VIEWS} views can be read in the table`;
    expect(await stateOf()).toEqual({ state: "moving", progress: words });
    expect(await idsBy("embedded")).toEqual(idsOf(views));
    expect(await start()).toMatchObject({ isChanged: false, view_store: "moving", view_store_progress: words });
    await handOverAll();
    await runCron();
    expect(await stateOf()).toMatchObject({ state: "distributed" });
    expect(await table.rows(workspace.id)).toBe(VIEWS);
    expect(await idsBy("distributed")).toEqual(idsOf(views));
  });

  test("that is interrupted before the switch is switched by the next run", async () => {
    await start();
    await handOverAll();
    await moveViews({ ...withSettings(), R2_SQL_TOKEN: "wrong" }, new Date()); // R2 SQL does not say its counts
    expect(await stateOf()).toMatchObject({ state: "moving" });
    expect(await idsBy("embedded")).toEqual(idsOf(views));
    await runCron();
    await runCron(); // once more, after the switch
    expect(await stateOf()).toMatchObject({ state: "distributed" });
    expect(await table.rows(workspace.id)).toBe(VIEWS);
  });

  test("that is stopped and started again sends only what it has not sent", async () => {
    await start();
    await handOverAll();
    expect(await stop()).toMatchObject({ isChanged: true, view_store: "embedded" });
    await runCron();
    expect(await stateOf()).toEqual({ state: "embedded", progress: null });
    const later = withOwnIds(views.slice(0, 7));
    await putViews(workspace.id, later);
    await start();
    await handOverAll();
    await runCron();
    expect(await stateOf()).toMatchObject({ state: "distributed" });
    expect(await table.rows(workspace.id)).toBe(VIEWS + 7);
    expect(await idsBy("distributed")).toEqual(idsOf([...views, ...later]));
  });

  test("does not switch while the counts of a month differ, and says which month", async () => {
    await start();
    await handOverAll();
    await table.post("forget-one");
    await runCron();
    const { state, progress } = (await stateOf())!;
    expect(state).toBe("moving");
    expect(progress).toMatch(
      new RegExp(`^${VIEWS} of ${VIEWS} views can be read in the table; the counts of (${months.join("|")}) differ$`),
    );
    expect(await idsBy("embedded")).toEqual(idsOf(views));
  });

  test("switches although views keep ending, which count in their store until they can be read", async () => {
    await start();
    await handOverAll();
    const { view, timeline } = views[0]!;
    const fresh = withOwnIds([{ view: { ...view, viewEndMs: Date.now() - HOUR_MS }, timeline }]);
    await putViews(workspace.id, fresh);
    await runCron();
    expect(await stateOf()).toEqual({
      state: "distributed",
      progress: `${VIEWS} of ${VIEWS + 1} views can be read in the table`,
    });
    expect(await idsBy("distributed")).toEqual(idsOf([...views, ...fresh]));
  });

  test("switches although views expire meanwhile", async () => {
    const { view, timeline } = views[0]!;
    await putViews(workspace.id, withOwnIds([{ view: { ...view, viewEndMs: NOW_MS - 97 * DAY_MS }, timeline }]));
    await start();
    await handOverAll();
    expect(await table.rows(workspace.id)).toBe(VIEWS + 1);
    await runCron(new Date(NOW_MS + 4 * DAY_MS));
    expect(await stateOf()).toMatchObject({ state: "distributed" });
  });

  test("of a workspace that fails does not keep others from being moved", async () => {
    await start();
    const other = await newWorkspace();
    await setViewStore(database, other.id, { from: "embedded", to: "moving" });
    await handOverAll();
    for (const broken of [workspace.id, other.id]) {
      const idFromName = (name: string) => {
        if (name.startsWith(broken)) throw new Error("the store is broken");
        return env.VIEW_STORE.idFromName(name);
      };
      const VIEW_STORE = { idFromName, get: (id: DurableObjectId) => env.VIEW_STORE.get(id) } as never;
      await moveViews({ ...withSettings(), VIEW_STORE }, new Date());
    }
    const { results } = await env.DB.prepare("SELECT view_store FROM workspaces").all();
    expect(results).toEqual([{ view_store: "distributed" }, { view_store: "distributed" }]);
  });

  test("does nothing without the settings, and names those that are missing", async () => {
    await start();
    await moveViews(env, new Date());
    expect(await stateOf()).toEqual({ state: "moving", progress: null });
    expect(missingR2Sql(env)).toEqual(["R2_SQL_URL", "R2_SQL_TABLE", "R2_SQL_TOKEN", "VIEW_STREAM"]);
    expect(missingR2Sql(withSettings())).toEqual([]);
  });
});

describe("a return", () => {
  /** Distributed, with no view left in the stores. */
  const beDistributed = async (): Promise<void> => {
    await start();
    await handOverAll();
    await runCron();
    await handOverOnce(workspace.id, table, { nowMs: Date.now() + 2 * HOUR_MS });
    expect([await stateOf(), await rowsHere()]).toMatchObject([{ state: "distributed" }, 0]);
  };

  test("copies every view back, and switches once the stores have all of them", async () => {
    await beDistributed();
    expect(await back()).toMatchObject({ isChanged: true, view_store: "returning" });
    await runCron();
    expect(await stateOf()).toEqual({ state: "returning", progress: "0 views of the table are in the stores" });
    const span = [scope.fromMs, scope.toMs].map((ms) => `timespan[]=${ms / 1000}`).join("&");
    const asked = await dataOf<{ totalViews: number }>(workspace, `metrics/views/overall?${span}`);
    expect(asked.totalViews).toBe(VIEWS);
    await takeBackOnce(workspace.id, table);
    for (const engine of ["embedded", "distributed"] as const) expect(await idsBy(engine)).toEqual(idsOf(views));
    await runCron();
    expect(await stateOf()).toEqual({ state: "embedded", progress: `${VIEWS} views of the table are in the stores` });
    const { view, timeline } = views[0]!;
    const found = await viewStore(env, { workspaceId: workspace.id, month: monthOf(view.viewEndMs) }).find(view.viewId);
    expect(found).toEqual({ view: { ...view, workspaceId: workspace.id }, timeline });
    // Isolates may treat the workspace as distributed for another minute.
    for (const engine of ["embedded", "distributed"] as const) expect(await idsBy(engine)).toEqual(idsOf(views));
  });

  test("has views that end meanwhile once, and hands none over", async () => {
    await beDistributed();
    await back();
    await runCron();
    const fresh = withOwnIds(views.slice(0, 5));
    await putViews(workspace.id, fresh);
    // The store's timer neither hands over nor deletes, whatever is left of its lease.
    const select = "SELECT lease_ms, delete_after_ms FROM hand_over";
    expect(await inStore(workspace.id, month, select)).toEqual([{ lease_ms: 0, delete_after_ms: null }]);
    const all = idsOf([...views, ...fresh]);
    expect(await idsBy("distributed")).toEqual(all);
    await takeBackOnce(workspace.id, table);
    expect(await idsBy("distributed")).toEqual(all);
    await runCron();
    for (const engine of ["embedded", "distributed"] as const) expect(await idsBy(engine)).toEqual(all);
    expect(await table.rows(workspace.id)).toBe(VIEWS);
  });

  test("that is interrupted in the middle of a month continues, and has no view twice", async () => {
    const beginMs = Date.parse(`${months[0]}-01`); // a new month may have no views yet
    const many = withOwnIds(simulatedViews(450, NOW_MS)).map(({ view, timeline }, n) => ({
      view: { ...view, viewEndMs: beginMs + n },
      timeline,
    }));
    await putViews(workspace.id, many);
    const all = idsOf([...views, ...many]);
    await beDistributed();
    await back();
    await runCron();
    const { fetch } = globalThis;
    let pages = 0;
    vi.spyOn(globalThis, "fetch").mockImplementation((input, init) => {
      if (typeof init?.body === "string" && init.body.includes("revision")) pages += 1;
      return pages > months.length + 1 ? Promise.reject(new Error("no network")) : fetch(input, init);
    });
    await expect(takeBackOnce(workspace.id, table)).rejects.toThrow("cannot be asked");
    vi.restoreAllMocks();
    expect(await rowsHere()).toBeGreaterThan(200);
    expect(await rowsHere()).toBeLessThan(VIEWS + 450);
    expect(await idsBy("distributed")).toEqual(all);
    await runCron();
    expect(await stateOf()).toMatchObject({ state: "returning" });
    await takeBackOnce(workspace.id, table);
    await runCron();
    expect(await stateOf()).toMatchObject({ state: "embedded" });
    expect(await idsBy("embedded")).toEqual(all);
  });

  test("does not bring back a viewer who was forgotten before or meanwhile", async () => {
    const viewers = [...new Set(views.map(({ view }) => view.viewerId!))].slice(0, 2);
    const others = views.filter(({ view }) => !viewers.includes(view.viewerId!));
    const forget = (viewer: string) => workspace.request("DELETE", `/v1/data/viewers/${viewer}`);
    await beDistributed();
    expect((await forget(viewers[0]!)).status).toBe(200);
    await back();
    await runCron();
    expect((await forget(viewers[1]!)).status).toBe(200);
    await takeBackOnce(workspace.id, table);
    await runCron();
    expect(await stateOf()).toMatchObject({ state: "embedded" });
    for (const engine of ["embedded", "distributed"] as const) expect(await idsBy(engine)).toEqual(idsOf(others));
  });

  test("does not switch while a store lacks a view of the table, and reads that month again", async () => {
    await beDistributed();
    await back();
    await runCron();
    await takeBackOnce(workspace.id, table);
    const lost = views.find(({ view }) => monthOf(view.viewEndMs) === months[0])!.view.viewId;
    await inStore(workspace.id, months[0]!, `DELETE FROM views WHERE view_id = '${lost}'`);
    await runCron();
    expect(await stateOf()).toEqual({
      state: "returning",
      progress: `${VIEWS - 1} views of the table are in the stores; some of ${months[0]} are not, and it is read again`,
    });
    await takeBackOnce(workspace.id, table);
    await runCron();
    expect(await stateOf()).toMatchObject({ state: "embedded" });
    expect(await idsBy("embedded")).toEqual(idsOf(views));
  });

  test("that is stopped leaves the views in the table, and a later one starts over", async () => {
    await beDistributed();
    await back();
    await runCron();
    await takeBackOnce(workspace.id, table);
    await setViewStore(database, workspace.id, { from: "returning", to: "distributed" });
    for (let run = 0; run < 2; run += 1)
      await handOverOnce(workspace.id, table, { nowMs: Date.now() + (2 + run) * HOUR_MS });
    expect(await rowsHere()).toBe(0);
    expect(await idsBy("distributed")).toEqual(idsOf(views));
    await back();
    await runCron();
    expect(await stateOf()).toMatchObject({ state: "returning" });
    await takeBackOnce(workspace.id, table);
    await runCron();
    expect(await stateOf()).toMatchObject({ state: "embedded" });
    expect(await idsBy("embedded")).toEqual(idsOf(views));
  });

  test("can be followed by another move, which sends nothing twice", async () => {
    await beDistributed();
    await back();
    await runCron();
    await takeBackOnce(workspace.id, table);
    await runCron();
    const fresh = withOwnIds(views.slice(0, 5));
    await putViews(workspace.id, fresh);
    await start();
    await handOverAll();
    await runCron();
    expect(await stateOf()).toMatchObject({ state: "distributed" });
    expect(await table.rows(workspace.id)).toBe(VIEWS + 5);
    expect(await idsBy("distributed")).toEqual(idsOf([...views, ...fresh]));
    const { totalViews } = await dataOf<{ totalViews: number }>(workspace, "metrics/views/overall?timespan[]=30:days");
    expect(totalViews).toBeGreaterThan(0);
  });
});

/** Final views get from the stores into the distributed table: none is absent from an answer, and none counts twice. */
import { env, runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import { REMAINDER } from "../../../src/analytics/store/hand-over-table.ts";
import { monthOf } from "../../../src/analytics/store/months.ts";
import { StoreComponents } from "../../../src/analytics/store/components.ts";
import { isEmptyStore } from "../../../src/analytics/store/sweep-store.ts";
import { viewStore } from "../../../src/analytics/store/store-calls.ts";
import { newWorkspace, type TestWorkspace } from "../workspace.ts";
import { dataOf } from "./beacon-helpers.ts";
import {
  countRows,
  handOverOnce,
  type MadeView,
  MEDIA_ID,
  NOW_MS,
  putViews,
  setViewStore,
  simulatedViews,
  SPAN,
  TestTable,
} from "./distributed-helpers.ts";

const VIEWS = 60;
const HOUR_MS = 3600_000;
const month = monthOf(NOW_MS);

let table: TestTable;
let workspace: TestWorkspace;
let views: MadeView[];
beforeEach(async () => {
  table = new TestTable();
  workspace = await newWorkspace(table.settings);
  views = simulatedViews(VIEWS, NOW_MS).map(({ view, timeline }) => ({
    view: { ...view, viewId: crypto.randomUUID(), viewEndMs: Math.max(view.viewEndMs, Date.parse(`${month}-01`)) },
    timeline,
  }));
});

const counted = async () => {
  const { totalViews, uniqueViews } = await dataOf<{ totalViews: number; uniqueViews: number }>(
    workspace,
    `metrics/views/overall?${SPAN}`,
  );
  return { totalViews, uniqueViews };
};
const viewers = () => new Set(views.map(({ view }) => view.viewerId ?? view.fpViewerId ?? view.viewId)).size;
const everything = () => ({ totalViews: VIEWS, uniqueViews: viewers() });

describe("a distributed workspace", () => {
  beforeEach(async () => {
    await setViewStore(workspace.id, "distributed");
    await putViews(workspace.id, views);
  });

  test("counts each view once before it is sent, while it cannot be read, and once it can", async () => {
    expect(await counted()).toEqual(everything());
    await table.post("hold");
    await handOverOnce(workspace.id, table);
    expect(await counted()).toEqual(everything());
    await handOverOnce(workspace.id, table);
    expect(await countRows(workspace.id, month, "batch >= (SELECT line FROM hand_over)")).toBe(VIEWS);
    await table.post("release");
    expect(await counted()).toEqual(everything());
    await handOverOnce(workspace.id, table);
    expect(await countRows(workspace.id, month, "batch >= (SELECT line FROM hand_over)")).toBe(0);
    expect(await counted()).toEqual(everything());
    expect(await table.rows(workspace.id)).toBe(VIEWS); // nothing was sent again meanwhile
  });

  test("does not count a batch in the table while an earlier one cannot be read", async () => {
    const send = table.send;
    table.send = () => Promise.resolve(); // the first batch is lost
    await handOverOnce(workspace.id, table);
    table.send = send;
    const later = views.slice(0, 5).map(({ view, timeline }) => ({
      view: { ...view, viewId: crypto.randomUUID() },
      timeline,
    }));
    await putViews(workspace.id, later);
    for (let run = 0; run < 2; run += 1) await handOverOnce(workspace.id, table);
    expect(await table.rows(workspace.id)).toBe(later.length);
    expect((await counted()).totalViews).toBe(VIEWS + later.length);
    await handOverOnce(workspace.id, table, { nowMs: Date.now() + 50 * 60_000 }); // deletes what counts in the table
    expect(await countRows(workspace.id, month)).toBe(VIEWS + later.length);
  });

  test("counts a view once that is readable but not confirmed, in addition to the confirmed ones", async () => {
    for (let run = 0; run < 2; run += 1) await handOverOnce(workspace.id, table);
    const later = views.slice(0, 5).map(({ view, timeline }) => ({
      view: { ...view, viewId: crypto.randomUUID() },
      timeline,
    }));
    await putViews(workspace.id, later);
    await handOverOnce(workspace.id, table);
    expect(await countRows(workspace.id, month, "batch >= (SELECT line FROM hand_over)")).toBe(later.length);
    expect((await counted()).totalViews).toBe(VIEWS + later.length);
  });

  test("counts a view once that was sent twice because the answer to the first time was lost", async () => {
    const send = table.send;
    table.send = async (records) => {
      await send(records);
      throw new Error("the connection is lost");
    };
    await expect(handOverOnce(workspace.id, table)).rejects.toThrow("the connection is lost");
    expect(await counted()).toEqual(everything());
    table.send = send;
    for (let run = 0; run < 2; run += 1) await handOverOnce(workspace.id, table);
    expect(await table.batches(workspace.id)).toEqual([2 * VIEWS]); // with the number of the first time
    expect(await counted()).toEqual(everything());
    expect(await dataOf<unknown[]>(workspace, `viewlist?${SPAN}&limit=50&offset=2`)).toHaveLength(VIEWS - 50);
    const { rows } = await exported();
    expect(new Set(rows).size).toBe(VIEWS);
    expect(rows).toHaveLength(VIEWS);
  });

  test("loses nothing when the stream accepts nothing", async () => {
    const send = table.send;
    table.send = () => Promise.reject(new Error("no stream"));
    await expect(handOverOnce(workspace.id, table)).rejects.toThrow("no stream");
    table.send = send;
    for (let run = 0; run < 2; run += 1) await handOverOnce(workspace.id, table);
    expect(await countRows(workspace.id, month, "batch < (SELECT line FROM hand_over)")).toBe(VIEWS);
    expect(await counted()).toEqual(everything());
  });

  test("sends rows again that the pipeline dropped, after an hour", async () => {
    const send = table.send;
    table.send = () => Promise.resolve();
    await handOverOnce(workspace.id, table, { isSwitched: false });
    table.send = send;
    await handOverOnce(workspace.id, table, { isSwitched: false, nowMs: Date.now() + HOUR_MS + 1000 });
    expect(await countRows(workspace.id, month, "batch >= (SELECT line FROM hand_over)")).toBe(VIEWS);
    await handOverOnce(workspace.id, table, { isSwitched: false, nowMs: Date.now() + HOUR_MS + 2000 });
    expect(await countRows(workspace.id, month, "batch < (SELECT line FROM hand_over)")).toBe(VIEWS);
  });

  test("does not treat a batch as readable that lacks a view, also when other views are there twice", async () => {
    const send = table.send;
    table.send = async (records) => {
      for (let copy = 0; copy < 2; copy += 1) await send(records.slice(1));
    };
    for (let run = 0; run < 3; run += 1) await handOverOnce(workspace.id, table);
    expect(await countRows(workspace.id, month, "batch >= (SELECT line FROM hand_over)")).toBe(VIEWS);
    expect(await counted()).toEqual(everything());
    table.send = send;
    for (const laterMs of [HOUR_MS + 1000, HOUR_MS + 2000])
      await handOverOnce(workspace.id, table, { nowMs: Date.now() + laterMs });
    expect(await countRows(workspace.id, month, "batch >= (SELECT line FROM hand_over)")).toBe(0);
    expect(await counted()).toEqual(everything());
  });

  test("deletes rows an hour after the end of their views, and does not store them again", async () => {
    for (let run = 0; run < 2; run += 1) await handOverOnce(workspace.id, table);
    expect(await countRows(workspace.id, month)).toBe(VIEWS); // requests may still take the store for complete
    await handOverOnce(workspace.id, table, { nowMs: Date.now() + 2 * HOUR_MS });
    expect(await countRows(workspace.id, month)).toBe(0);
    expect(await counted()).toEqual(everything());
    const { view, timeline } = views[0]!;
    await viewStore(env, { workspaceId: workspace.id, month }).put({
      view: { ...view, workspaceId: workspace.id },
      timeline,
      revision: 2,
    });
    expect(await counted()).toEqual(everything());
    const found = await dataOf<{ viewId: string; events: unknown[] }>(workspace, `viewlist/${view.viewId}`);
    expect({ viewId: found.viewId, events: found.events.length }).toEqual({
      viewId: view.viewId,
      events: timeline.length,
    });
  });

  test("has a view whose row would not fit into a request of the stream, in its store", async () => {
    const { view, timeline } = views[0]!;
    const [event] = timeline as [(typeof timeline)[number]];
    const long = Array.from({ length: Math.ceil(151_000 / JSON.stringify(event).length) }, () => event);
    await putViews(workspace.id, [{ view: { ...view, viewId: crypto.randomUUID() }, timeline: long }]);
    for (const laterMs of [0, 0, 2 * HOUR_MS]) await handOverOnce(workspace.id, table, { nowMs: Date.now() + laterMs });
    expect([await table.rows(workspace.id), await countRows(workspace.id, month)]).toEqual([VIEWS, 1]);
    expect((await counted()).totalViews).toBe(VIEWS + 1);
  });

  test("keeps its stores as long as the table has views of them, because only they know which rows count", async () => {
    for (const laterMs of [0, 0, 2 * HOUR_MS]) await handOverOnce(workspace.id, table, { nowMs: Date.now() + laterMs });
    const store = env.VIEW_STORE.get(env.VIEW_STORE.idFromName(`${workspace.id}:${month}`));
    const isEmptyAfter = (days: number) =>
      runInDurableObject(store, (_, state) =>
        isEmptyStore(new StoreComponents(state, env), Date.parse(`${month}-01`) + days * 24 * HOUR_MS),
      );
    expect([await isEmptyAfter(31), await isEmptyAfter(130), await isEmptyAfter(132)]).toEqual([false, false, true]);
  });

  test("finds the views that do not count in the table without reading those that do", async () => {
    for (let time = 0; time < 2; time += 1) await handOverOnce(workspace.id, table);
    await putViews(workspace.id, [{ ...views[0]!, view: { ...views[0]!.view, viewId: crypto.randomUUID() } }]);
    const store = env.VIEW_STORE.get(env.VIEW_STORE.idFromName(`${workspace.id}:${month}`));
    const read = await runInDurableObject(store, (_, { storage }) => {
      const cursor = storage.sql.exec(`SELECT record FROM views WHERE view_end_ms > 0 AND ${REMAINDER}`);
      return { found: cursor.toArray().length, rowsRead: cursor.rowsRead };
    });
    expect(read.found).toBe(1);
    expect(read.rowsRead).toBeLessThan(VIEWS / 5);
  });

  test("refuses pages beyond the first 10,000 views, and says what to do", async () => {
    const answer = await workspace.request("GET", `/v1/data/viewlist?${SPAN}&limit=50&offset=201`);
    expect(answer.status).toBe(422);
    expect(await answer.text()).toContain("export");
  });

  test("is not answered without the settings", async () => {
    const lacking = await newWorkspace();
    await setViewStore(lacking.id, "distributed");
    const answer = await lacking.request("GET", `/v1/data/metrics/views/overall?${SPAN}`);
    expect(answer.status).toBe(503);
  });

  test("is answered 503 when R2 SQL fails, without the statement", async () => {
    for (let run = 0; run < 2; run += 1) await handOverOnce(workspace.id, table);
    const other = await newWorkspace({ ...table.settings, R2_SQL_TOKEN: "wrong" });
    await setViewStore(other.id, "distributed");
    await putViews(other.id, views);
    for (let run = 0; run < 2; run += 1) await handOverOnce(other.id, table);
    const answer = await other.request("GET", `/v1/data/metrics/views/overall?${SPAN}`);
    expect(answer.status).toBe(503);
    expect(await answer.text()).not.toContain("SELECT");
  });
});

const exported = async (): Promise<{ rows: string[] }> => {
  const body = {
    timespan: [NOW_MS / 1000 - 50 * 86_400, NOW_MS / 1000].map(String),
    fields: ["viewId"],
    format: "ndjson",
  };
  const created = await workspace.request("POST", "/v1/data/viewlist", { ...body, expiresIn: 600 });
  const { data } = await created.json<{ data: { url: string; rows: number } }>();
  const url = new URL(data.url);
  const text = await (await workspace.request("GET", url.pathname + url.search)).text();
  const rows = text.trim().split("\n");
  expect(data.rows).toBe(rows.length);
  return { rows };
};

test("engagement counts what the table and the stores have", async () => {
  await putViews(workspace.id, views);
  await env.DB.prepare("UPDATE workspaces SET view_store = 'embedded'").run();
  const question = {
    scope: { fromMs: NOW_MS - 50 * 24 * HOUR_MS, toMs: NOW_MS, filters: [] },
    content: { column: "media_id" as const, id: MEDIA_ID },
    grid: { originMs: 0, intervalMs: 1000, intervals: 600 },
  };
  const { embeddedEngine } = await import("../../../src/analytics/questions/embedded-engine.ts");
  const { distributedEngine } = await import("../../../src/analytics/engines/distributed-engine.ts");
  const { r2SqlSettings } = await import("../../../src/analytics/r2-sql/settings.ts");
  const expected = await embeddedEngine(env, workspace.id, NOW_MS).watched(question);
  expect(Math.max(...expected.views)).toBeGreaterThan(2);
  for (let run = 0; run < 2; run += 1) await handOverOnce(workspace.id, table);
  const settings = r2SqlSettings({ ...env, ...table.settings })!;
  const engine = distributedEngine({ env, settings, workspaceId: workspace.id, nowMs: NOW_MS });
  expect(await engine.watched(question)).toEqual(expected);
});

/** Forgotten viewers of a distributed workspace: R2 SQL cannot delete, so their views count in no answer. */
import { env, runInDurableObject } from "cloudflare:test";
import { beforeEach, expect, test } from "vitest";
import { monthOf } from "../../../src/analytics/store/months.ts";
import { StoreComponents } from "../../../src/analytics/store/components.ts";
import { sweepStore } from "../../../src/analytics/store/sweep-store.ts";
import { newWorkspace, type TestWorkspace } from "../workspace.ts";
import { dataOf } from "./beacon-helpers.ts";
import {
  countRows,
  handOverOnce,
  type MadeView,
  NOW_MS,
  putViews,
  setViewStore,
  simulatedViews,
  TestTable,
} from "./distributed-helpers.ts";

const VIEWS = 40;
const HOUR_MS = 3600_000;
const DAY_MS = 24 * HOUR_MS;
const month = monthOf(NOW_MS);
const span = [NOW_MS / 1000 - 50 * 86_400, NOW_MS / 1000 + 3600];

let table: TestTable;
let workspace: TestWorkspace;
let views: MadeView[];
/** The viewers of some of the views. */
const [viewerId, sdkViewerId] = ["viewer of the test", "viewer of the SDK"];
const OWN = 3;

beforeEach(async () => {
  table = new TestTable();
  workspace = await newWorkspace(table.settings);
  await setViewStore(workspace.id, "distributed");
  views = simulatedViews(VIEWS, NOW_MS).map(({ view, timeline }, index) => ({
    view: {
      ...view,
      ...(index < OWN ? { viewerId, fpViewerId: sdkViewerId } : {}),
      viewId: crypto.randomUUID(),
      viewEndMs: Math.max(view.viewEndMs, Date.parse(`${month}-01`)),
    },
    timeline,
  }));
  await putViews(workspace.id, views);
});

const handOverAll = async (laterMs: readonly number[] = [0, 0]) => {
  for (const ms of laterMs) await handOverOnce(workspace.id, table, { nowMs: Date.now() + ms });
};
const counted = async (): Promise<number> => {
  const query = span.map((second) => `timespan[]=${second}`).join("&");
  return (await dataOf<{ totalViews: number }>(workspace, `metrics/views/overall?${query}`)).totalViews;
};
const forget = async (id: string) => {
  const answer = await workspace.request("DELETE", `/v1/data/viewers/${encodeURIComponent(id)}`);
  return (await answer.json<{ data: object }>()).data;
};

test.each([viewerId, sdkViewerId])("views of the table no longer count: %s", async (id) => {
  await handOverAll([0, 0, 2 * HOUR_MS]);
  expect([await counted(), await countRows(workspace.id, month)]).toEqual([VIEWS, 0]);
  expect(await forget(id)).toEqual({ deletedViews: OWN, remainingViews: 0 });
  expect(await counted()).toBe(VIEWS - OWN);
  expect((await workspace.request("GET", `/v1/data/viewlist/${views[0]!.view.viewId}`)).status).toBe(404);
  const body = { timespan: span.map(String), fields: ["viewId"], format: "csv" };
  const created = await workspace.request("POST", "/v1/data/viewlist", body);
  const { data } = await created.json<{ data: { url: string; rows: number } }>();
  const { pathname, search } = new URL(data.url);
  const lines = (await (await workspace.request("GET", pathname + search)).text()).trim().split(/\r?\n/);
  expect([data.rows, lines.length - 1]).toEqual([VIEWS - OWN, VIEWS - OWN]);
  expect(await forget(id)).toEqual({ deletedViews: 0, remainingViews: 0 });
});

test("views in transit to the table no longer count, neither before nor after their arrival", async () => {
  await table.post("hold");
  await handOverAll([0]);
  expect(await forget(viewerId)).toEqual({ deletedViews: OWN, remainingViews: 0 });
  expect(await counted()).toBe(VIEWS - OWN);
  await table.post("release");
  await handOverAll();
  expect(await countRows(workspace.id, month, "batch >= (SELECT line FROM hand_over)")).toBe(0);
  expect(await table.rows(workspace.id)).toBe(VIEWS);
  expect(await counted()).toBe(VIEWS - OWN);
});

test("a batch from which views are forgotten is readable only with all others", async () => {
  const send = table.send;
  const lost = views[OWN]!.view.viewId;
  table.send = (records) => send(records.filter((record) => record["view_id"] !== lost));
  await handOverAll([0]);
  await forget(viewerId);
  await handOverAll();
  expect(await countRows(workspace.id, month, "batch >= (SELECT line FROM hand_over)")).toBe(VIEWS - OWN);
  expect(await counted()).toBe(VIEWS - OWN);
});

test("views that the viewer begins later count", async () => {
  await handOverAll();
  await forget(viewerId);
  const [{ view, timeline }] = views as [MadeView];
  const times = { viewStartMs: Date.now() + 1000, viewEndMs: Date.now() + 2000 };
  await putViews(workspace.id, [{ view: { ...view, viewId: crypto.randomUUID(), ...times }, timeline }]);
  await handOverAll();
  expect(await countRows(workspace.id, month, "batch >= (SELECT line FROM hand_over)")).toBe(0);
  expect(await counted()).toBe(VIEWS - OWN + 1);
});

test("the exclusion lasts as long as the views of the month are kept", async () => {
  await handOverAll([0, 0, 2 * HOUR_MS]);
  await forget(viewerId);
  const store = env.VIEW_STORE.get(env.VIEW_STORE.idFromName(`${workspace.id}:${month}`));
  const sweep = (atMs: number) =>
    runInDurableObject(store, (_, state) => sweepStore(new StoreComponents(state, env), atMs));
  await sweep(Date.now() + 60 * DAY_MS);
  expect(await counted()).toBe(VIEWS - OWN);
});

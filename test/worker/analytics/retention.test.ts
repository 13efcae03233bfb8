/** Views are not kept for ever. */
import { env, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { monthOf } from "../../../src/analytics/store/store-calls.ts";
import { newWorkspace } from "../workspace.ts";
import { dataOf, storeView } from "./beacon-helpers.ts";

const DAY_MS = 24 * 3600_000;

test("a month's store is deleted when its last view can no longer be asked for, and not before", async () => {
  const workspace = await newWorkspace();
  const viewId = await storeView(workspace.id, "Harbour");
  const store = env.VIEW_STORE.get(env.VIEW_STORE.idFromName(`${workspace.id}:${monthOf(Date.now() - 10_000)}`));
  const planned = await runInDurableObject(store, (_, { storage }) => storage.getAlarm());
  const days = (planned! - Date.now()) / DAY_MS;
  expect([days > 31 + 7 + 100, days < 150]).toEqual([true, true]);
  await storeView(workspace.id, "Later");
  expect(await runInDurableObject(store, (_, { storage }) => storage.getAlarm())).toBe(planned);

  expect(await dataOf(workspace, `viewlist/${viewId}`)).toMatchObject({ viewId });
  await runDurableObjectAlarm(store);
  expect(await dataOf(workspace, "viewlist")).toEqual([]);
  const tables = await runInDurableObject(store, (_, { storage }) => storage.sql.databaseSize);
  expect(tables).toBeLessThan(100_000);
  await storeView(workspace.id, "Again");
  expect(await dataOf(workspace, "viewlist")).toMatchObject([{ videoTitle: "Again" }]);
});

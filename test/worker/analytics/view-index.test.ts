/** A row of the table of views has about 5 kB, so a question about a million views must not read them. */
import { env, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { DIMENSIONS } from "../../../src/analytics/store/dimensions.ts";
import { monthOf } from "../../../src/analytics/store/months.ts";
import { ViewTable } from "../../../src/analytics/store/view-table.ts";
import { storeView } from "./beacon-helpers.ts";

const SPAN = "view_end_ms >= 0 AND view_end_ms < 9e15";

test("figures of any dimension and metric are read from the index in time, also in a store of an earlier release", async () => {
  const workspaceId = crypto.randomUUID();
  await storeView(workspaceId, "Harbour");
  const store = env.VIEW_STORE.get(env.VIEW_STORE.idFromName(`${workspaceId}:${monthOf(Date.now())}`));
  await runInDurableObject(store, (_, { storage }) => {
    storage.sql.exec("DROP INDEX views_over_time");
    storage.sql.exec("ALTER TABLE views DROP COLUMN figures");
    storage.sql.exec("CREATE INDEX views_by_end ON views (view_end_ms)");
    storage.sql.exec("CREATE INDEX views_by_time ON views (view_end_ms, view_id)");
    expect(new ViewTable(storage).isEmpty).toBe(false);
  });
  const planOf = (sql: string) =>
    runInDurableObject(store, (_, { storage }) =>
      storage.sql
        .exec<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
        .toArray()
        .map(({ detail }) => detail)
        .join("; "),
    );
  const covered = expect.stringContaining("USING COVERING INDEX views_over_time");
  for (const dimension of DIMENSIONS) {
    const sql = `SELECT ${dimension}, count(DISTINCT viewer_key), sum(playing_ms), total(startup_ms) FROM views
      WHERE ${SPAN} AND (${dimension} = 'x' OR ${dimension} IS NULL) GROUP BY 1`;
    expect([dimension, await planOf(sql)]).toEqual([dimension, covered]);
  }
  expect(await planOf(`SELECT sum(max_downscaling) FROM views WHERE ${SPAN} AND is_final = 0`)).toEqual(covered);
  expect(await planOf(`SELECT group_concat(figures, '') FROM views WHERE ${SPAN}`)).toEqual(covered);
  // A page of the list is read in order, without sorting what is not on it.
  const page = await planOf(`SELECT view_id, os_name FROM views WHERE ${SPAN} ORDER BY view_end_ms, view_id LIMIT 50`);
  expect(page).toEqual(covered);
  expect(page).not.toContain("TEMP B-TREE");
  const indexes = await runInDurableObject(store, (_, { storage }) =>
    storage.sql.exec<{ name: string }>("SELECT name FROM pragma_index_list('views')").toArray(),
  );
  const names = indexes.map(({ name }) => name);
  expect(names).toContain("views_over_time");
  expect(names).not.toEqual(expect.arrayContaining([expect.stringMatching(/^views_(by_end|in_time|by_time)$/)]));
});

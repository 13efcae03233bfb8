/** Migrations of rows written by an older version. */
import { readdirSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";

const FILES = readdirSync("migrations")
  .filter((name) => name.endsWith(".sql"))
  .toSorted();

function migrate(db: DatabaseSync, files: string[]): void {
  for (const file of files)
    for (const statement of readFileSync(`migrations/${file}`, "utf8").split("--> statement-breakpoint"))
      db.exec(statement);
}

test("the migration moves playback IDs of assets and streams into one table, with their targets", () => {
  const db = new DatabaseSync(":memory:");
  const at = FILES.indexOf("0007_one_table_of_playback_ids.sql");
  migrate(db, FILES.slice(0, at));
  db.exec(`
    INSERT INTO playback_ids (id, asset_id, workspace_id, access_policy, created_at) VALUES ('p1', 'a1', 'w', 'drm', 1);
    INSERT INTO live_playback_ids (id, stream_id, workspace_id, access_policy, created_at) VALUES ('p2', 's1', 'w', 'private', 2);
  `);
  migrate(db, FILES.slice(at));
  expect(
    db
      .prepare("SELECT id, kind, target_id, workspace_id, access_policy, created_at FROM playback_ids ORDER BY id")
      .all()
      .map((row) => ({ ...row })),
  ).toEqual([
    { id: "p1", kind: "asset", target_id: "a1", workspace_id: "w", access_policy: "drm", created_at: 1 },
    { id: "p2", kind: "stream", target_id: "s1", workspace_id: "w", access_policy: "private", created_at: 2 },
  ]);
  const plan = db.prepare("EXPLAIN QUERY PLAN SELECT * FROM playback_ids WHERE target_id = 'a1'").all();
  expect(JSON.stringify(plan)).toContain("playback_ids_of_target");
});

test("the migration counts what each workspace uses, and triggers keep the counts", () => {
  const db = new DatabaseSync(":memory:");
  const at = FILES.findIndex((file) => file.endsWith("_workspace_usage.sql"));
  const insert = (table: string, row: Record<string, string | number | null>) => {
    const given = { ...row };
    const columns = db.prepare('SELECT name, type FROM pragma_table_info(?) WHERE "notnull"').all(table);
    for (const { name, type } of columns) given[String(name)] ??= type === "integer" ? 0 : "";
    const names = Object.keys(given);
    const values = names.map(() => "?").join();
    db.prepare(`INSERT INTO ${table} (${names.join()}) VALUES (${values})`).run(...Object.values(given));
  };
  const asset = (id: string, workspaceId: string, deletedAt: number | null = null) =>
    insert("assets", { id, workspace_id: workspaceId, deleted_at: deletedAt });
  const segmentsOf = (...bytes: number[]) => JSON.stringify({ durationTicks: bytes.map(() => 1), bytes });
  const rendition = (assetId: string, name: string, initBytes: number, ...bytes: number[]) =>
    insert("renditions", { asset_id: assetId, name, init_bytes: initBytes, segments: segmentsOf(...bytes) });
  const usage = () =>
    Object.fromEntries(
      db
        .prepare("SELECT * FROM workspace_usage")
        .all()
        .map((row) => [row["workspace_id"], [row["media_count"], row["stream_count"], row["stored_bytes"]]]),
    );

  migrate(db, FILES.slice(0, at));
  insert("workspaces", { id: "w0" });
  insert("workspaces", { id: "w1" });
  asset("a1", "w1");
  asset("a2", "w1", 5);
  asset("a3", "w2");
  rendition("a1", "v", 7, 100, 20);
  rendition("a1", "a", 3, 1);
  insert("live_streams", { id: "s1", workspace_id: "w2" });
  migrate(db, FILES.slice(at));
  expect(usage()).toEqual({ w0: [0, 0, 0], w1: [1, 0, 131], w2: [1, 1, 0] });

  asset("a4", "w1");
  asset("a5", "w3");
  asset("a6", "w3", 5);
  insert("live_streams", { id: "s2", workspace_id: "w3" });
  rendition("a5", "v", 10);
  db.prepare("UPDATE renditions SET segments = ? WHERE asset_id = 'a5'").run(segmentsOf(1000, 2000));
  expect(usage()).toEqual({ w0: [0, 0, 0], w1: [2, 0, 131], w2: [1, 1, 0], w3: [1, 1, 3010] });

  db.exec("UPDATE assets SET deleted_at = 6 WHERE id = 'a1'");
  db.exec("UPDATE assets SET deleted_at = 7 WHERE id = 'a1'");
  db.exec("UPDATE assets SET title = 'x', revision = revision + 1");
  db.exec("UPDATE live_streams SET deleted_at = 6 WHERE id = 's1'");
  db.exec("DELETE FROM renditions WHERE asset_id = 'a1'");
  db.exec("DELETE FROM assets WHERE id IN ('a1', 'a3')");
  db.exec("DELETE FROM live_streams");
  expect(usage()).toEqual({ w0: [0, 0, 0], w1: [1, 0, 0], w2: [0, 0, 0], w3: [1, 0, 3010] });

  // The media of an upload counts when its file has arrived.
  const mediaOfW4 = () => usage()["w4"]?.[0];
  for (const id of ["u1", "u2", "u3"]) insert("assets", { id, workspace_id: "w4", status: "waiting" });
  expect(mediaOfW4()).toBeUndefined();
  db.exec("UPDATE assets SET status = 'processing' WHERE id IN ('u1', 'u2')");
  expect(mediaOfW4()).toBe(2);
  db.exec("UPDATE assets SET status = 'ready', title = 'x' WHERE id = 'u1'");
  db.exec("UPDATE assets SET deleted_at = 6 WHERE id IN ('u2', 'u3')");
  expect(mediaOfW4()).toBe(1);
  db.exec("DELETE FROM assets WHERE workspace_id = 'w4'");
  expect(mediaOfW4()).toBe(0);
});

test("a distant page of a workspace's media is found in an index", () => {
  const db = new DatabaseSync(":memory:");
  migrate(db, FILES);
  const page = `SELECT * FROM assets WHERE workspace_id = 'w' AND deleted_at IS NULL AND status <> 'waiting'
    ORDER BY created_at DESC, id DESC LIMIT 50 OFFSET 49950`;
  const plan = db.prepare(`EXPLAIN QUERY PLAN ${page}`).all();
  expect(plan.map(({ detail }) => detail)).toEqual(["SEARCH assets USING INDEX assets_in_workspace (workspace_id=?)"]);
});

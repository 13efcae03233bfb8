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
      .prepare("SELECT * FROM playback_ids ORDER BY id")
      .all()
      .map((row) => ({ ...row })),
  ).toEqual([
    { id: "p1", kind: "asset", target_id: "a1", workspace_id: "w", access_policy: "drm", created_at: 1 },
    { id: "p2", kind: "stream", target_id: "s1", workspace_id: "w", access_policy: "private", created_at: 2 },
  ]);
  const plan = db.prepare("EXPLAIN QUERY PLAN SELECT * FROM playback_ids WHERE target_id = 'a1'").all();
  expect(JSON.stringify(plan)).toContain("playback_ids_of_target");
});

/** Which changes of D1 the triggers of the search's migration note, executed by SQLite as D1 does. */
import { readdirSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, expect, test } from "vitest";

const FILES = readdirSync("migrations")
  .filter((name) => name.endsWith(".sql"))
  .toSorted();
const SEARCH = FILES.findIndex((file) => file.endsWith("_search.sql"));

let db: DatabaseSync;
function migrate(files: string[]): void {
  for (const file of files)
    for (const statement of readFileSync(`migrations/${file}`, "utf8").split("--> statement-breakpoint"))
      db.exec(statement);
}

/** With zero or nothing in all other columns that need a value. */
function insert(table: string, row: Record<string, string | number | null>): void {
  const given = { ...row };
  const columns = db.prepare('SELECT name, type FROM pragma_table_info(?) WHERE "notnull"').all(table);
  for (const { name, type } of columns) given[String(name)] ??= type === "integer" ? 0 : "";
  const names = Object.keys(given);
  db.prepare(`INSERT INTO ${table} (${names.join()}) VALUES (${names.map(() => "?").join()})`).run(
    ...Object.values(given),
  );
}
const asset = (id: string, more: Record<string, string | number | null> = {}) =>
  insert("assets", { id, workspace_id: "w", status: "ready", title: null, ...more });
const track = (id: string, more: Record<string, string | number | null> = {}) =>
  insert("added_tracks", { id, asset_id: "a", kind: "subtitle", status: "available", captions: "{}", ...more });

/** The media of the changes since the last call. */
const noted = () => {
  const rows = db.prepare("SELECT workspace_id, asset_id FROM search_changes ORDER BY seq").all();
  db.exec("DELETE FROM search_changes");
  return rows.map(({ workspace_id, asset_id }) => `${String(workspace_id)}/${String(asset_id)}`);
};

beforeEach(() => {
  db = new DatabaseSync(":memory:");
  migrate(FILES.slice(0, SEARCH));
});

test("the migration asks for the index of each workspace that has media", () => {
  asset("a");
  insert("assets", { id: "b", workspace_id: "v", status: "ready", deleted_at: 1 });
  migrate(FILES.slice(SEARCH));
  expect(noted()).toEqual(["w/"]);
});

test.each<[string, string[], (() => void)[]]>([
  ["a media with a title", ["w/b"], [() => asset("b", { title: "x" })]],
  ["a media without one", [], [() => asset("b")]],
  ["one that waits for its file", [], [() => asset("b", { title: "x", status: "waiting" })]],
  ["another title", ["w/a"], [() => db.exec("UPDATE assets SET title = 'y'")]],
  [
    "no title any more",
    ["w/a"],
    [() => db.exec("UPDATE assets SET title = 'y'"), noted, () => db.exec("UPDATE assets SET title = NULL")],
  ],
  ["the same title again", [], [() => db.exec("UPDATE assets SET title = title, status = 'errored', progress = '{}'")]],
  ["a deleted media without text", [], [() => db.exec("UPDATE assets SET deleted_at = 1")]],
  [
    "a deleted media with a title, and its purge",
    ["w/a"],
    [
      () => db.exec("UPDATE assets SET title = 'y'"),
      () => track("t"),
      noted,
      () => db.exec("UPDATE assets SET deleted_at = 1"),
      () => db.exec("DELETE FROM added_tracks"),
      () => db.exec("UPDATE assets SET purged_at = 1"),
    ],
  ],
  ["a media that is gone", ["w/a"], [() => db.exec("DELETE FROM assets")]],
  [
    "a media whose file has come",
    ["w/b"],
    [
      () => asset("b", { title: "x", status: "waiting" }),
      () => db.exec("UPDATE assets SET status = 'processing' WHERE id = 'b'"),
    ],
  ],
  ["captions that are prepared", [], [() => track("t", { status: "preparing", captions: null })]],
  ["captions that are there", ["w/a"], [() => track("t")]],
  [
    "captions that become available",
    ["w/a"],
    [
      () => track("t", { status: "preparing", captions: null }),
      () => db.exec("UPDATE added_tracks SET status = 'available', captions = '{}'"),
    ],
  ],
  [
    "captions that fail",
    [],
    [() => track("t", { status: "preparing" }), () => db.exec("UPDATE added_tracks SET status = 'failed'")],
  ],
  [
    "progress of captions",
    [],
    [() => track("t", { status: "preparing" }), () => db.exec(`UPDATE added_tracks SET generated = '{"percent":5}'`)],
  ],
  [
    "another text",
    ["w/a"],
    [() => track("t"), noted, () => db.exec(`UPDATE added_tracks SET captions = '{"version":2}'`)],
  ],
  [
    "other facts of the same text",
    [],
    [() => track("t"), noted, () => db.exec(`UPDATE added_tracks SET captions = '{"peakBps":2}'`)],
  ],
  ["another name of a track", [], [() => track("t"), noted, () => db.exec("UPDATE added_tracks SET title = 'Other'")]],
  ["deleted captions", ["w/a"], [() => track("t"), noted, () => db.exec("DELETE FROM added_tracks")]],
  ["a sound", [], [() => track("t", { kind: "audio", captions: null }), () => db.exec("DELETE FROM added_tracks")]],
])("%s: %j is noted", (_, media, steps) => {
  asset("a");
  migrate(FILES.slice(SEARCH));
  noted();
  for (const step of steps) step();
  expect(noted()).toEqual(media);
});

test("a number is not used twice, so a change that was noted again is not taken for one that was taken over", () => {
  migrate(FILES.slice(SEARCH));
  const seqs = [1, 2].map((n) => {
    asset(`a${n}`, { title: "x" });
    const { seq } = db.prepare("SELECT seq FROM search_changes").get()!;
    noted();
    return seq;
  });
  expect(new Set(seqs).size).toBe(2);
});

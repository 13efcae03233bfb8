import { hasColumn } from "../../platform/machine/has-column.ts";
import { isNumericColumn, VIEW_COLUMNS } from "./columns.ts";
import { PACKED_COLUMN, PACKED_FROM, packFigures } from "./packed-figures.ts";

/** The viewer's id that the SDK generated. */
export const SDK_VIEWER = "(record ->> '$.fpViewerId')";
const AT_ONCE = 2000;
const FORMER_INDEXES = ["views_by_end", "views_in_time", "views_by_time"];

/** Creates the tables of views and their timelines, or converts those of an earlier release. */
export function createViewTable(sql: SqlStorage): void {
  const columns = VIEW_COLUMNS.map((name) => `${name} ${isNumericColumn(name) ? "REAL" : "TEXT"}`);
  sql.exec(
    `CREATE TABLE IF NOT EXISTS views (${columns.join(", ")}, ${PACKED_COLUMN} BLOB, PRIMARY KEY (view_id)) WITHOUT ROWID`,
  );
  if (!hasColumn(sql, "views", PACKED_COLUMN)) {
    sql.exec(`ALTER TABLE views ADD COLUMN ${PACKED_COLUMN} BLOB`);
    packAll(sql);
  }
  for (const index of FORMER_INDEXES) sql.exec(`DROP INDEX IF EXISTS ${index}`);
  // A covering index: questions read it alone, in time order. Its rows are a tenth of the size of the table's.
  const others = VIEW_COLUMNS.filter((name) => !["view_end_ms", "view_id", "record"].includes(name));
  // SQLite finds a column by adding the lengths of the previous ones. The packed figures are read most often, so they come first.
  const indexed = ["view_end_ms", "view_id", PACKED_COLUMN, ...others];
  sql.exec(`CREATE INDEX IF NOT EXISTS views_over_time ON views (${indexed.join(", ")})`);
  sql.exec("CREATE INDEX IF NOT EXISTS views_by_viewer ON views (viewer_id) WHERE viewer_id IS NOT NULL");
  sql.exec(`CREATE INDEX IF NOT EXISTS views_by_sdk_viewer ON views (${SDK_VIEWER}) WHERE ${SDK_VIEWER} IS NOT NULL`);
  sql.exec("CREATE TABLE IF NOT EXISTS timelines (view_id TEXT PRIMARY KEY, events TEXT NOT NULL, watched TEXT)");
  // Null = not computed yet.
  if (!hasColumn(sql, "timelines", "watched")) sql.exec("ALTER TABLE timelines ADD COLUMN watched TEXT");
}

function packAll(sql: SqlStorage): void {
  const select = "SELECT view_id FROM views WHERE view_id > ? ORDER BY view_id LIMIT ?";
  for (let after = ""; ;) {
    const ids = sql.exec<{ view_id: string }>(select, after, AT_ONCE).toArray();
    packViews(
      sql,
      ids.map(({ view_id }) => view_id),
    );
    if (ids.length < AT_ONCE) return;
    after = ids.at(-1)!.view_id;
  }
}

/** Packs the figures of views that have none yet. */
export function packViews(sql: SqlStorage, viewIds: readonly string[]): void {
  const select = `SELECT view_id, ${PACKED_FROM.join(", ")} FROM views WHERE view_id IN (SELECT value FROM json_each(?))`;
  for (const row of sql.exec(select, JSON.stringify(viewIds)).toArray())
    sql.exec(`UPDATE views SET ${PACKED_COLUMN} = ? WHERE view_id = ?`, packFigures(row), row["view_id"]);
}

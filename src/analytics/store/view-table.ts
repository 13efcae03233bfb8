import type { TimelineEvent } from "../views/view-event.ts";
import type { ViewRecord } from "../views/view-record.ts";
import { VIEW_COLUMNS, rowOf } from "./columns.ts";
import type { Query, Row, StoredView } from "./store-calls.ts";

const NUMERIC = new Set([...VIEW_COLUMNS.slice(1, VIEW_COLUMNS.indexOf("browser_name")), "revision"]);
const TEXTS = new Set(["viewer_key", "error_message"]);

/** A view has about 3 kB. */
const [MAX_PAGE_ROWS, MAX_PAGE_LENGTH] = [1000, 4 << 20];

/** The views of one workspace and month, in the store's own SQLite. */
export class ViewTable {
  readonly #sql: SqlStorage;
  readonly #commit: (write: () => void) => void;

  constructor(storage: DurableObjectStorage) {
    this.#sql = storage.sql;
    this.#commit = (write) => storage.transactionSync(write);
    const columns = VIEW_COLUMNS.map((name) => `${name} ${NUMERIC.has(name) && !TEXTS.has(name) ? "REAL" : "TEXT"}`);
    this.#sql.exec(`CREATE TABLE IF NOT EXISTS views (${columns.join(", ")}, PRIMARY KEY (view_id)) WITHOUT ROWID`);
    this.#sql.exec("CREATE INDEX IF NOT EXISTS views_by_end ON views (view_end_ms)");
    this.#sql.exec("CREATE TABLE IF NOT EXISTS timelines (view_id TEXT PRIMARY KEY, events TEXT NOT NULL)");
  }

  /** Inserts a view, or replaces an earlier state of it. A repeated or late call changes nothing. */
  put(view: ViewRecord, timeline: TimelineEvent[], revision: number): void {
    const row = rowOf(view, revision);
    const values = VIEW_COLUMNS.map((name) => `value ->> '$.${name}'`).join(", ");
    const updates = VIEW_COLUMNS.slice(1)
      .map((name) => `${name} = excluded.${name}`)
      .join(", ");
    this.#commit(() => {
      const { rowsWritten } = this.#sql.exec(
        `INSERT INTO views (${VIEW_COLUMNS.join(", ")}) SELECT ${values} FROM (SELECT ? AS value) WHERE true
         ON CONFLICT (view_id) DO UPDATE SET ${updates} WHERE excluded.revision > views.revision`,
        JSON.stringify(row),
      );
      if (rowsWritten === 0) return;
      this.#sql.exec("INSERT OR REPLACE INTO timelines VALUES (?, ?)", view.viewId, JSON.stringify(timeline));
    });
  }

  remove(viewId: string): void {
    this.#commit(() => {
      this.#sql.exec("DELETE FROM views WHERE view_id = ?", viewId);
      this.#sql.exec("DELETE FROM timelines WHERE view_id = ?", viewId);
    });
  }

  find(viewId: string): StoredView | null {
    const [row] = this.#sql.exec<{ record: string }>("SELECT record FROM views WHERE view_id = ?", viewId);
    if (row === undefined) return null;
    const [timeline] = this.#sql.exec<{ events: string }>("SELECT events FROM timelines WHERE view_id = ?", viewId);
    return {
      view: JSON.parse(row.record) as ViewRecord,
      timeline: JSON.parse(timeline?.events ?? "[]") as TimelineEvent[],
    };
  }

  /** The views after this one, up to a number and an amount of text that an answer can have. */
  page({ sql, values }: Query, afterMs: number, afterId: string): ViewRecord[] {
    const select = `SELECT record FROM views WHERE ${sql} AND (view_end_ms, view_id) > (?, ?)
      ORDER BY view_end_ms, view_id LIMIT ${MAX_PAGE_ROWS}`;
    const records: ViewRecord[] = [];
    let length = 0;
    for (const { record } of this.#sql.exec<{ record: string }>(select, ...values, afterMs, afterId)) {
      records.push(JSON.parse(record) as ViewRecord);
      length += record.length;
      if (length > MAX_PAGE_LENGTH) break;
    }
    return records;
  }

  /** @param query made by the query builder, which binds every value of a caller */
  run({ sql, values }: Query): Row[] {
    return this.#sql.exec<Row>(sql, ...values).toArray();
  }
}

import type { TimelineEvent } from "../views/view-event.ts";
import { type WatchedRange, watchedRanges } from "../views/watched-ranges.ts";
import type { ViewRecord } from "../views/view-record.ts";
import { type Measure, rowOf, VIEW_COLUMNS } from "./columns.ts";
import type { Neighbours } from "./neighbours.ts";
import { PACKED_COLUMN, packFigures } from "./packed-figures.ts";
import { packedSample, type Sample } from "./packed-sample.ts";
import { packedViews } from "./packed-views.ts";
import type { Query, Row, Span, StoredView, ViewState } from "./store-calls.ts";
import { createViewTable, SDK_VIEWER } from "./view-schema.ts";

/** A view has about 3 kB. */
const [MAX_PAGE_ROWS, MAX_PAGE_LENGTH] = [1000, 4 << 20];

const OF_VIEWER = `FROM views WHERE (viewer_id = ? OR ${SDK_VIEWER} = ?) AND view_start_ms <= ?`;

/** The views of one workspace and month, in the store's own SQLite. */
export class ViewTable {
  readonly #sql: SqlStorage;
  readonly #commit: <T>(write: () => T) => T;

  constructor(storage: DurableObjectStorage) {
    this.#sql = storage.sql;
    this.#commit = (write) => storage.transactionSync(write);
    this.#commit(() => createViewTable(this.#sql));
  }

  /** Inserts a view, or replaces an earlier state of it. A repeated or late call changes nothing. */
  put({ view, timeline, revision, watched = watchedRanges(timeline) }: ViewState): void {
    const row = rowOf(view, revision);
    const values = VIEW_COLUMNS.map((name) => `value ->> '$.${name}'`).join(", ");
    const updates = [...VIEW_COLUMNS.slice(1), PACKED_COLUMN].map((name) => `${name} = excluded.${name}`).join(", ");
    this.#commit(() => {
      const { rowsWritten } = this.#sql.exec(
        `INSERT INTO views (${VIEW_COLUMNS.join(", ")}, ${PACKED_COLUMN}) SELECT ${values}, ? FROM (SELECT ? AS value) WHERE true
         ON CONFLICT (view_id) DO UPDATE SET ${updates} WHERE excluded.revision > views.revision`,
        packFigures(row),
        JSON.stringify(row),
      );
      if (rowsWritten === 0) return;
      this.#sql.exec(
        `INSERT INTO timelines (view_id, events, watched) VALUES (?, ?, ?)
         ON CONFLICT (view_id) DO UPDATE SET events = excluded.events, watched = excluded.watched`, // REPLACE would write three rows
        view.viewId,
        JSON.stringify(timeline),
        JSON.stringify(watched),
      );
    });
  }

  /** @returns how many rows there were */
  remove(viewIds: string[]): number {
    const ids = JSON.stringify(viewIds);
    return this.#commit(() => {
      this.#sql.exec("DELETE FROM timelines WHERE view_id IN (SELECT value FROM json_each(?))", ids);
      const remove = "DELETE FROM views WHERE view_id IN (SELECT value FROM json_each(?)) RETURNING view_id";
      return this.#sql.exec(remove, ids).toArray().length;
    });
  }

  /** @returns how many views were removed, at most `limit` */
  removeEndedBefore(endMs: number, limit: number): number {
    const select = "SELECT view_id FROM views WHERE view_end_ms < ? LIMIT ?";
    const old = this.#sql.exec<{ view_id: string }>(select, endMs, limit).toArray();
    return this.remove(old.map(({ view_id }) => view_id));
  }

  has(viewId: string): boolean {
    return this.#sql.exec("SELECT 1 FROM views WHERE view_id = ?", viewId).toArray().length > 0;
  }

  get isEmpty(): boolean {
    return this.#sql.exec("SELECT 1 FROM views LIMIT 1").toArray().length === 0;
  }

  /** Views of a viewer that began until then, by the integrator's id or the SDK's. */
  idsOf(viewerId: string, untilMs: number, limit: number): { workspaceId: string; viewId: string }[] {
    const columns = "view_id AS viewId, record ->> '$.workspaceId' AS workspaceId";
    const select = `SELECT ${columns} ${OF_VIEWER} LIMIT ?`;
    return this.#sql
      .exec<{ workspaceId: string; viewId: string }>(select, viewerId, viewerId, untilMs, limit)
      .toArray();
  }

  countOf(viewerId: string, untilMs: number): number {
    const select = `SELECT count(*) AS count ${OF_VIEWER}`;
    return this.#sql.exec<{ count: number }>(select, viewerId, viewerId, untilMs).one().count;
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

  /** The watched ranges of each view that satisfies the condition, except those that showed no picture. */
  *watched({ sql, values }: Query): Generator<WatchedRange[]> {
    const select = `SELECT watched, iif(watched IS NULL, events, NULL) AS events FROM views JOIN timelines USING (view_id)
      WHERE ${sql} AND failed_at_startup = 0 AND left_before_start = 0`;
    for (const { watched, events } of this.#sql.exec<{ watched: string | null; events: string | null }>(
      select,
      ...values,
    ))
      yield watched === null
        ? watchedRanges(JSON.parse(events ?? "[]") as TimelineEvent[])
        : (JSON.parse(watched) as WatchedRange[]);
  }

  /** The rows of views with their timelines. */
  rowsOf(viewIds: readonly string[]): Row[] {
    const select = `SELECT ${VIEW_COLUMNS.join(", ")}, events, watched FROM views LEFT JOIN timelines USING (view_id)
      WHERE view_id IN (SELECT value FROM json_each(?)) ORDER BY view_id`;
    return this.#sql.exec<Row>(select, JSON.stringify(viewIds)).toArray();
  }

  /** The views after this one, limited by the number and the total length that an answer may have. */
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

  /** The packed figures of views, some thousands of views at a time, in the order of their ends. */
  packed(span: Span): Iterable<Float64Array> {
    return packedViews(this.#sql, span);
  }

  /** A sample of packed figures from the whole time span. */
  packedSample(span: Span): Sample {
    return packedSample(this.#sql, span);
  }

  /** The values next to the quantile of a column, by sorting. @param count the number of values, at least 1 */
  neighbours({ fromMs, toMs, filters }: Span, column: Measure, share: number, count: number): Neighbours | null {
    const index = Math.floor(share * (count - 1));
    const select = `SELECT ${column} AS value FROM views WHERE view_end_ms >= ? AND view_end_ms < ? AND ${filters.sql}
      AND ${column} IS NOT NULL ORDER BY 1 LIMIT 2 OFFSET ?`;
    const rows = this.#sql.exec<{ value: number }>(select, fromMs, toMs, ...filters.values, index).toArray();
    const [below, above = below] = rows.map(({ value }) => value);
    return below === undefined || above === undefined ? null : [below, above];
  }
}

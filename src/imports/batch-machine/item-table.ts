import type { BatchCounts, Difference, ItemState } from "../batches/batch-calls.ts";
import type { ListedVideo } from "../sources/source.ts";

export interface Item {
  seq: number;
  status: ItemState;
  attempts: number;
  video: ListedVideo;
  /** State of the source's preparation of the file; null = it was not asked, or needs none. */
  preparing: Record<string, unknown> | null;
  mediaId: string | null;
  playbackId: string | null;
  error: { code: string; message: string } | null;
  differences: Difference[];
  /** Something at the source is still switched for this item. */
  owesRelease: boolean;
  updatedAtMs: number;
}

interface Row extends Record<string, SqlStorageValue> {
  seq: number;
  status: string;
  attempts: number;
  video: string;
  preparing: string | null;
  media_id: string | null;
  playback_id: string | null;
  error_code: string | null;
  error_message: string | null;
  differences: string | null;
  release: number;
  updated: number;
}

const OWED = 1;

/** The items of a batch: up to 500,000 rows in the object's own SQLite, of which few are in memory at once. */
export class ItemTable {
  readonly #sql: SqlStorage;
  readonly #clock: () => number;

  constructor(sql: SqlStorage, clock: () => number) {
    this.#sql = sql;
    this.#clock = clock;
    for (const statement of SCHEMA) sql.exec(statement);
  }

  /** @returns false when the batch has an item of this id */
  add(video: ListedVideo, status: ItemState, error: Item["error"] = null): boolean {
    const { rowsWritten } = this.#sql.exec(
      "INSERT INTO items (source_id, status, video, error_code, error_message, updated) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
      video.id,
      status,
      JSON.stringify(video),
      error?.code ?? null,
      error?.message ?? null,
      this.#clock(),
    );
    return rowsWritten > 0;
  }

  get(seq: number): Item | null {
    const [row] = this.#sql.exec<Row>("SELECT * FROM items WHERE seq = ?", seq);
    return row === undefined ? null : toItem(row);
  }

  bySourceId(sourceId: string): Item | null {
    const [row] = this.#sql.exec<Row>("SELECT * FROM items WHERE source_id = ?", sourceId);
    return row === undefined ? null : toItem(row);
  }

  /** Items after a place, by place. */
  page({ status, after, limit }: { status: ItemState | null; after: number; limit: number }): Item[] {
    const rows =
      status === null
        ? this.#sql.exec<Row>("SELECT * FROM items WHERE seq > ? ORDER BY seq LIMIT ?", after, limit)
        : this.#sql.exec<Row>(
            "SELECT * FROM items WHERE status = ? AND seq > ? ORDER BY seq LIMIT ?",
            status,
            after,
            limit,
          );
    return rows.toArray().map(toItem);
  }

  /**
   * Pending items whose time has come, those that the source prepares first.
   *
   * @param fresh how many may be taken that were not asked for yet
   */
  takeDue(limit: number, fresh: number): Item[] {
    const nowMs = this.#clock();
    const prepared = this.#sql
      .exec<Row>(
        "SELECT * FROM items WHERE status = 'pending' AND preparing IS NOT NULL AND due <= ? ORDER BY due LIMIT ?",
        nowMs,
        limit,
      )
      .toArray();
    const rest = Math.max(0, Math.min(limit - prepared.length, fresh));
    const others = this.#sql
      .exec<Row>(
        "SELECT * FROM items WHERE status = 'pending' AND preparing IS NULL AND due <= ? ORDER BY due, seq LIMIT ?",
        nowMs,
        rest,
      )
      .toArray();
    return [...prepared, ...others].map(toItem);
  }

  /** Items that the source prepares a file for. */
  get preparing(): number {
    return this.#count("status = 'pending' AND preparing IS NOT NULL");
  }

  /** When the next pending item is due, epoch ms; null = none is pending. */
  nextDueMs(): number | null {
    const [row] = this.#sql.exec<{ due: number | null }>("SELECT min(due) AS due FROM items WHERE status = 'pending'");
    return row?.due ?? null;
  }

  /** Submitted items that are due to be looked at. */
  submittedDue(limit: number): Item[] {
    return this.#sql
      .exec<Row>(
        "SELECT * FROM items WHERE status = 'submitted' AND due <= ? ORDER BY due LIMIT ?",
        this.#clock(),
        limit,
      )
      .toArray()
      .map(toItem);
  }

  /** Items for which the source is to be switched back, and that need nothing of it any more. */
  releasable(limit: number): Item[] {
    return this.#sql
      .exec<Row>(
        "SELECT * FROM items WHERE release = ? AND status IN ('ready', 'failed', 'skipped', 'cancelled', 'excluded') LIMIT ?",
        OWED,
        limit,
      )
      .toArray()
      .map(toItem);
  }

  get owesReleases(): boolean {
    return this.#sql.exec("SELECT 1 FROM items WHERE release = ? LIMIT 1", OWED).toArray().length > 0;
  }

  /** Changes one item. A change of its status is counted by a trigger. */
  set(seq: number, change: ItemChange): void {
    const columns = columnsOf(change);
    const names = Object.keys(columns);
    this.#sql.exec(
      `UPDATE items SET ${names.map((name) => `${name} = ?`).join(", ")}, updated = ? WHERE seq = ?`,
      ...Object.values(columns),
      this.#clock(),
      seq,
    );
  }

  /** Items in a state move to another one, all at once. */
  moveAll(from: ItemState, to: ItemState, error: Item["error"] = null): void {
    this.#sql.exec(
      "UPDATE items SET status = ?, due = 0, attempts = 0, preparing = NULL, differences = NULL, error_code = ?, error_message = ?, updated = ? WHERE status = ?",
      to,
      error?.code ?? null,
      error?.message ?? null,
      this.#clock(),
      from,
    );
  }

  /** Those whose submission was cut off: whether they have a media is in the claims. */
  recover(): void {
    this.#sql.exec("UPDATE items SET status = 'pending', due = 0 WHERE status = 'submitting'");
  }

  get counts(): BatchCounts {
    const rows = this.#sql.exec<{ status: ItemState; n: number }>("SELECT status, n FROM counts").toArray();
    const of = (...states: ItemState[]) =>
      rows.filter(({ status }) => states.includes(status)).reduce((sum, { n }) => sum + n, 0);
    return {
      total: of(...rows.map(({ status }) => status)),
      pending: of("pending", "submitting"),
      submitted: of("submitted"),
      ready: of("ready"),
      failed: of("failed", "cancelled"),
      skipped: of("skipped", "excluded"),
    };
  }

  /** Failed, skipped and excluded items, grouped by their reason. */
  reasons(limit: number) {
    return this.#sql
      .exec<{ status: ItemState; code: string; message: string; items: number; first: string; last: string }>(
        `SELECT status, coalesce(error_code, '') AS code, coalesce(error_message, '') AS message, count(*) AS items,
           min(source_id) AS first, max(source_id) AS last
         FROM items WHERE status IN ('failed', 'skipped', 'excluded', 'cancelled') GROUP BY status, error_code, error_message
         ORDER BY items DESC LIMIT ?`,
        limit,
      )
      .toArray()
      .map(({ first, last, ...row }) => ({ ...row, examples: [...new Set([first, last])] }));
  }

  /** What ready items do not have as the source had it, grouped. */
  differences(limit: number) {
    return this.#sql
      .exec<{ field: string; message: string; items: number; first: string; last: string }>(
        `SELECT json_extract(one.value, '$.field') AS field, json_extract(one.value, '$.message') AS message, count(*) AS items,
           min(source_id) AS first, max(source_id) AS last
         FROM items, json_each(items.differences) AS one WHERE items.differences IS NOT NULL
         GROUP BY field, message ORDER BY items DESC LIMIT ?`,
        limit,
      )
      .toArray()
      .map(({ first, last, ...row }) => ({ ...row, examples: [...new Set([first, last])] }));
  }

  #count(condition: string): number {
    const [row] = this.#sql.exec<{ n: number }>(`SELECT count(*) AS n FROM items WHERE ${condition}`);
    return row?.n ?? 0;
  }
}

export interface ItemChange {
  status?: ItemState;
  /** Epoch ms. */
  dueMs?: number;
  attempts?: number;
  video?: ListedVideo;
  preparing?: Record<string, unknown> | null;
  mediaId?: string | null;
  playbackId?: string | null;
  error?: Item["error"];
  differences?: Difference[];
  owesRelease?: boolean;
}

function columnsOf(change: ItemChange): Record<string, SqlStorageValue> {
  const json = (value: unknown) => (value === null ? null : JSON.stringify(value));
  return {
    ...(change.status !== undefined && { status: change.status }),
    ...(change.dueMs !== undefined && { due: Math.ceil(change.dueMs) }),
    ...(change.attempts !== undefined && { attempts: change.attempts }),
    ...(change.video !== undefined && { video: json(change.video) }),
    ...(change.preparing !== undefined && { preparing: json(change.preparing) }),
    ...(change.mediaId !== undefined && { media_id: change.mediaId }),
    ...(change.playbackId !== undefined && { playback_id: change.playbackId }),
    ...(change.error !== undefined && {
      error_code: change.error?.code ?? null,
      error_message: change.error?.message ?? null,
    }),
    ...(change.differences !== undefined && {
      differences: change.differences.length === 0 ? null : json(change.differences),
    }),
    ...(change.owesRelease !== undefined && { release: change.owesRelease ? OWED : 0 }),
  };
}

const toItem = (row: Row): Item => ({
  seq: row.seq,
  status: row.status as ItemState,
  attempts: row.attempts,
  video: JSON.parse(row.video) as ListedVideo,
  preparing: row.preparing === null ? null : (JSON.parse(row.preparing) as Record<string, unknown>),
  mediaId: row.media_id,
  playbackId: row.playback_id,
  error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? "" },
  differences: row.differences === null ? [] : (JSON.parse(row.differences) as Difference[]),
  owesRelease: row.release === OWED,
  updatedAtMs: row.updated,
});

/** Counts are kept by triggers: to count 500,000 rows at each look would read all of them. */
const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS items (seq INTEGER PRIMARY KEY AUTOINCREMENT, source_id TEXT NOT NULL UNIQUE, status TEXT NOT NULL,
    due INTEGER NOT NULL DEFAULT 0, attempts INTEGER NOT NULL DEFAULT 0, video TEXT NOT NULL, preparing TEXT, media_id TEXT, playback_id TEXT,
    error_code TEXT, error_message TEXT, differences TEXT, release INTEGER NOT NULL DEFAULT 0, updated INTEGER NOT NULL)`,
  "CREATE INDEX IF NOT EXISTS items_due ON items (status, due, seq)",
  "CREATE INDEX IF NOT EXISTS items_in_state ON items (status, seq)",
  "CREATE INDEX IF NOT EXISTS items_preparing ON items (due) WHERE status = 'pending' AND preparing IS NOT NULL",
  "CREATE INDEX IF NOT EXISTS items_owing ON items (release) WHERE release = 1",
  "CREATE TABLE IF NOT EXISTS counts (status TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID",
  `CREATE TRIGGER IF NOT EXISTS count_added AFTER INSERT ON items BEGIN
    INSERT INTO counts (status, n) VALUES (NEW.status, 1) ON CONFLICT (status) DO UPDATE SET n = n + 1; END`,
  `CREATE TRIGGER IF NOT EXISTS count_moved AFTER UPDATE OF status ON items WHEN OLD.status <> NEW.status BEGIN
    UPDATE counts SET n = n - 1 WHERE status = OLD.status;
    INSERT INTO counts (status, n) VALUES (NEW.status, 1) ON CONFLICT (status) DO UPDATE SET n = n + 1; END`,
];

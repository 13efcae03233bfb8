import type { HandedOver } from "../r2-sql/handed-over.ts";
import type { ForgottenViewers } from "./forgotten-viewers.ts";

/** Rows per batch, and batches that may be in transit to the table. */
const [BATCH_ROWS, PENDING_BATCHES] = [5000, 20];
/** A longer row stays in the store: JSON needs up to six bytes per character, so the row could exceed the limit of a stream. */
const MAX_ROW_LENGTH = 150_000;
/** Ended views stay this long, because `GET /v1/data/realtime` counts those of the last half hour here. */
const KEEP_ROWS_MS = 3600_000;
/** For this long after the switch, isolates may still treat the store as complete. */
const SWITCH_MS = 10 * 60_000;
/** A silent view is final an hour later, so an active workspace always has younger rows in transit. */
const SETTLED_MS = 2 * 3600_000;
/** A view's machine may write its final state again for as long as it exists (`free-view.ts`). */
const KEEP_IDS_MS = 9 * 24 * 3600_000;

/**
 * Rows that do not count in the table. Selects by id: filtering on `batch` picks the time index and scans every row.
 */
export const REMAINDER = `view_id IN (SELECT view_id FROM views WHERE batch IS NULL
  UNION ALL SELECT view_id FROM views WHERE batch >= (SELECT line FROM hand_over))`;

/** Covers every query of batches, so counting does not read the rows of 3 kB. */
const INDEX = "CREATE INDEX IF NOT EXISTS views_in_batch ON views (batch, view_end_ms, is_final)";
const FORMER_INDEXES = ["views_to_hand_over", "views_by_batch"];

interface State extends Record<string, SqlStorageValue> {
  workspace_id: string;
  month: string;
  /** Lower batches are readable in the distributed table. */
  line: number;
  lease_ms: number;
  /** Epoch ms; null = the store keeps its rows. */
  delete_after_ms: number | null;
}

/**
 * Records in a store's own SQLite which rows have been handed over to the distributed table. A row gets the number of its batch before it is sent,
 * so sent rows are known after a crash. The tables are created by the first use.
 */
export class HandOverTable {
  readonly #storage: DurableObjectStorage;
  readonly #forgotten: ForgottenViewers;
  #isOpen: boolean;

  constructor(storage: DurableObjectStorage, forgotten: ForgottenViewers) {
    this.#storage = storage;
    this.#forgotten = forgotten;
    const select = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'hand_over'";
    this.#isOpen = storage.sql.exec(select).toArray().length > 0;
    if (!this.#isOpen) return;
    for (const index of FORMER_INDEXES) storage.sql.exec(`DROP INDEX IF EXISTS ${index}`);
    storage.sql.exec(INDEX);
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  open(workspaceId: string, month: string): void {
    if (this.#isOpen) return;
    const { sql } = this.#storage;
    this.#storage.transactionSync(() => {
      sql.exec("ALTER TABLE views ADD COLUMN batch REAL");
      sql.exec(INDEX);
      sql.exec("CREATE TABLE batches (batch REAL PRIMARY KEY, sent_ms REAL)");
      sql.exec("CREATE TABLE moved_views (view_id TEXT PRIMARY KEY, moved_ms REAL NOT NULL) WITHOUT ROWID");
      sql.exec(
        "CREATE TABLE hand_over (workspace_id TEXT, month TEXT, line REAL NOT NULL, lease_ms REAL NOT NULL, delete_after_ms REAL)",
      );
      sql.exec("INSERT INTO hand_over VALUES (?, ?, 0, 0, NULL)", workspaceId, month);
    });
    this.#isOpen = true;
  }

  get state(): State {
    return this.#storage.sql.exec<State>("SELECT * FROM hand_over").one();
  }

  get handedOver(): HandedOver {
    const { month, line } = this.state;
    return { month, line, forgotten: this.#forgotten.hashes() };
  }

  /** Hands over until then, and deletes rows once all isolates know that they are in the table. */
  extend(leaseMs: number, isSwitched: boolean, nowMs: number): void {
    const deleteAfterMs = isSwitched ? nowMs + SWITCH_MS : null;
    this.#storage.sql.exec(
      "UPDATE hand_over SET lease_ms = ?, delete_after_ms = iif(? IS NULL, NULL, coalesce(delete_after_ms, ?))",
      leaseMs,
      deleteAfterMs,
      deleteAfterMs,
    );
  }

  /** Stops handing over and deleting rows. Rows in the table still count there. */
  pause(): void {
    this.#storage.sql.exec("UPDATE hand_over SET lease_ms = 0, delete_after_ms = NULL");
  }

  /** @param fromMs older rows are deleted soon and not handed over. @returns its number; null = no rows, or enough batches in transit */
  newBatch(fromMs: number, nowMs: number): number | null {
    const { sql } = this.#storage;
    return this.#storage.transactionSync(() => {
      if (this.pending().length >= PENDING_BATCHES) return null;
      const last = sql.exec<{ last: number }>("SELECT coalesce(max(batch), 0) AS last FROM batches").one().last;
      const batch = Math.max(nowMs, last + 1, this.state.line);
      const { rowsWritten } = sql.exec(
        `UPDATE views SET batch = ? WHERE view_id IN (SELECT view_id FROM ${TO_HAND_OVER} ORDER BY view_end_ms LIMIT ?)`,
        batch,
        fromMs,
        MAX_ROW_LENGTH,
        BATCH_ROWS,
      );
      if (rowsWritten === 0) return null;
      sql.exec("INSERT INTO batches VALUES (?, NULL)", batch);
      return batch;
    });
  }

  /** Batches that are not readable in the table yet, in order. */
  pending(): { batch: number; sent_ms: number | null }[] {
    const select = "SELECT batch, sent_ms FROM batches ORDER BY batch";
    return this.#storage.sql.exec<{ batch: number; sent_ms: number | null }>(select).toArray();
  }

  idsOf(batch: number): string[] {
    const select = "SELECT view_id FROM views WHERE batch = ? ORDER BY view_id";
    return this.#storage.sql
      .exec<{ view_id: string }>(select, batch)
      .toArray()
      .map((row) => row.view_id);
  }

  sent(batch: number, nowMs: number): void {
    this.#storage.sql.exec("UPDATE batches SET sent_ms = ? WHERE batch = ?", nowMs, batch);
  }

  /** Lets the rows of the batch count in the table from now on. Batches are confirmed in order. */
  confirm(batch: number): void {
    this.#storage.transactionSync(() => {
      this.#storage.sql.exec("UPDATE hand_over SET line = ?", batch + 1);
      this.#storage.sql.exec("DELETE FROM batches WHERE batch <= ?", batch);
    });
  }

  /** Number of rows that count in the table, for views that ended at this time or later. */
  confirmed(keptFromMs: number): number {
    return this.#count("views WHERE batch < (SELECT line FROM hand_over) AND view_end_ms >= ?", keptFromMs);
  }

  /** Rows to hand over. @param fromMs older rows are not. @returns `isBehind`: some of them are older than `SETTLED_MS` */
  remaining(fromMs: number, nowMs: number): { remaining: number; isBehind: boolean } {
    const settledMs = nowMs - SETTLED_MS;
    const waits = (more = "") => this.#has(`${TO_HAND_OVER} ${more}`, fromMs, MAX_ROW_LENGTH);
    const isSent = "views WHERE batch >= (SELECT line FROM hand_over)";
    // Rows that are too long stay in the store; they count as remaining only while others wait.
    const waiting = waits()
      ? this.#count("views WHERE is_final = 1 AND batch IS NULL AND view_end_ms >= ?", fromMs)
      : 0;
    return {
      remaining: waiting + this.#count(isSent),
      isBehind: waits(`AND view_end_ms < ${settledMs}`) || this.#has(`${isSent} AND view_end_ms < ?`, settledMs),
    };
  }

  #count(of: string, ...values: number[]): number {
    return this.#storage.sql.exec<{ count: number }>(`SELECT count(*) AS count FROM ${of}`, ...values).one().count;
  }

  #has(of: string, ...values: number[]): boolean {
    return this.#storage.sql.exec(`SELECT 1 FROM ${of} LIMIT 1`, ...values).toArray().length > 0;
  }

  /** Records that a row of the table is in the store again. It still counts in the table. */
  takenBack(viewId: string, batch: number): void {
    this.#storage.sql.exec("UPDATE views SET batch = ? WHERE view_id = ? AND batch IS NULL", batch, viewId);
    this.#storage.sql.exec("DELETE FROM moved_views WHERE view_id = ?", viewId);
  }

  /** Deletes rows that count in the table, and keeps their ids for a while. @returns how many, at most `limit` */
  deleteConfirmed(nowMs: number, limit: number): number {
    const { line, delete_after_ms } = this.state;
    if (delete_after_ms === null || nowMs < delete_after_ms) return 0;
    const { sql } = this.#storage;
    return this.#storage.transactionSync(() => {
      sql.exec("DELETE FROM moved_views WHERE moved_ms < ?", nowMs - KEEP_IDS_MS);
      const select = "SELECT view_id FROM views WHERE batch < ? AND view_end_ms < ? LIMIT ?";
      const moved = sql.exec<{ view_id: string }>(select, line, nowMs - KEEP_ROWS_MS, limit).toArray();
      const ids = JSON.stringify(moved.map((row) => row.view_id));
      sql.exec("INSERT OR REPLACE INTO moved_views SELECT value, ? FROM json_each(?)", nowMs, ids);
      sql.exec("DELETE FROM timelines WHERE view_id IN (SELECT value FROM json_each(?))", ids);
      sql.exec("DELETE FROM views WHERE view_id IN (SELECT value FROM json_each(?))", ids);
      return moved.length;
    });
  }

  /** Whether the view's final state was handed over and deleted here. */
  hasMoved(viewId: string): boolean {
    if (!this.#isOpen) return false;
    return this.#storage.sql.exec("SELECT 1 FROM moved_views WHERE view_id = ?", viewId).toArray().length > 0;
  }
}

const TO_HAND_OVER = `views LEFT JOIN timelines USING (view_id) WHERE is_final = 1 AND batch IS NULL AND view_end_ms >= ?
  AND length(record) + coalesce(length(events), 0) + coalesce(length(watched), 0) <= ?`;

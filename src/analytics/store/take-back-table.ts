/**
 * How far a store has read the distributed table to get its rows back, in its own SQLite. The row is deleted at the end, so a later run starts
 * over.
 */
export class TakeBackTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec("CREATE TABLE IF NOT EXISTS take_back (lease_ms REAL, after_ms REAL, after_id TEXT, is_read REAL)");
  }

  get state(): { leaseMs: number; endMs: number; viewId: string; isRead: boolean } | null {
    const select =
      "SELECT lease_ms AS leaseMs, after_ms AS endMs, after_id AS viewId, is_read AS isRead FROM take_back";
    const [row] = this.#sql.exec<{ leaseMs: number; endMs: number; viewId: string; isRead: number }>(select);
    return row === undefined ? null : { ...row, isRead: row.isRead === 1 };
  }

  /** Takes rows back until then. */
  extend(leaseMs: number): void {
    if (this.state === null) this.#sql.exec("INSERT INTO take_back VALUES (?, 0, '', 0)", leaseMs);
    else this.#sql.exec("UPDATE take_back SET lease_ms = ?", leaseMs);
  }

  /** The store has all rows up to this view. */
  advance({ endMs, viewId }: { endMs: number; viewId: string }): void {
    this.#sql.exec("UPDATE take_back SET after_ms = ?, after_id = ?", endMs, viewId);
  }

  finish(): void {
    this.#sql.exec("UPDATE take_back SET is_read = 1");
  }

  end(): void {
    this.#sql.exec("DELETE FROM take_back");
  }
}

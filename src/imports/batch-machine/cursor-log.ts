/** Cursors of the pages of a scan. A source that gives one twice leads in circles. */
export class CursorLog {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec("CREATE TABLE IF NOT EXISTS cursors (cursor TEXT PRIMARY KEY) WITHOUT ROWID");
  }

  /** @returns false when the scan had it before */
  add(cursor: string): boolean {
    return this.#sql.exec("INSERT INTO cursors (cursor) VALUES (?) ON CONFLICT DO NOTHING", cursor).rowsWritten > 0;
  }
}

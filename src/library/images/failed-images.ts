/** The pictures that could not be made, in an image maker's SQLite: for a while they are not tried again. */
const REMEMBER_MS = 600_000;

/** The media cannot be decoded, or an encoder failed at it, for example because it took too long. */
export type ImageFailure = "unreadable" | "failed";

export class FailedImages {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(
      "CREATE TABLE IF NOT EXISTS failed (name TEXT PRIMARY KEY, failure TEXT NOT NULL, until INTEGER NOT NULL)",
    );
  }

  remember(name: string, failure: ImageFailure, nowMs: number): void {
    this.#sql.exec("DELETE FROM failed WHERE until <= ?", nowMs);
    this.#sql.exec("INSERT OR REPLACE INTO failed VALUES (?, ?, ?)", name, failure, nowMs + REMEMBER_MS);
  }

  /** How this picture failed of late; null = it did not. */
  of(name: string, nowMs: number): ImageFailure | null {
    const select = "SELECT failure FROM failed WHERE name = ? AND until > ?";
    const [row] = this.#sql.exec<{ failure: ImageFailure }>(select, name, nowMs).toArray();
    return row?.failure ?? null;
  }
}

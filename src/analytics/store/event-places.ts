/** How many `playback.*` events a workspace has had on each day, in a store's own SQLite. */
const DAY_MS = 24 * 3600_000;

export class EventPlaces {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec("CREATE TABLE IF NOT EXISTS playback_events (day_ms REAL PRIMARY KEY, used REAL NOT NULL)");
  }

  /** @returns false when the day, in UTC, has had `most` events */
  take(atMs: number, most: number): boolean {
    const dayMs = Math.floor(atMs / DAY_MS) * DAY_MS;
    const { rowsWritten } = this.#sql.exec(
      "INSERT INTO playback_events VALUES (?, 1) ON CONFLICT DO UPDATE SET used = used + 1 WHERE used < ?",
      dayMs,
      most,
    );
    return rowsWritten > 0;
  }

  deleteBefore(atMs: number): void {
    this.#sql.exec("DELETE FROM playback_events WHERE day_ms < ?", atMs);
  }

  get isEmpty(): boolean {
    return this.#sql.exec("SELECT 1 FROM playback_events LIMIT 1").toArray().length === 0;
  }
}

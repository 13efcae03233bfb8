/** Counts of unusable parts of players' reports, by reason and hour, in a store's own SQLite. */
const HOUR_MS = 3600_000;

export interface RefusalCount extends Record<string, SqlStorageValue> {
  reason: string;
  count: number;
  /** Epoch ms. */
  lastAtMs: number;
}

export class RefusalCounts {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(
      "CREATE TABLE IF NOT EXISTS refusals (hour_ms REAL, reason TEXT, count REAL NOT NULL, last_ms REAL NOT NULL, PRIMARY KEY (hour_ms, reason))",
    );
  }

  add(counts: Record<string, number>, atMs: number): void {
    const hourMs = Math.floor(atMs / HOUR_MS) * HOUR_MS;
    const update = "DO UPDATE SET count = count + excluded.count, last_ms = max(last_ms, excluded.last_ms)";
    for (const [reason, count] of Object.entries(counts))
      this.#sql.exec(`INSERT INTO refusals VALUES (?, ?, ?, ?) ON CONFLICT ${update}`, hourMs, reason, count, atMs);
  }

  /** Counts of the hours that begin in the time span. */
  between(fromMs: number, toMs: number): RefusalCount[] {
    const columns = "reason, sum(count) AS count, max(last_ms) AS lastAtMs";
    const hours = "hour_ms >= ? AND hour_ms < ?";
    return this.#sql
      .exec<RefusalCount>(`SELECT ${columns} FROM refusals WHERE ${hours} GROUP BY reason`, fromMs, toMs)
      .toArray();
  }

  deleteBefore(atMs: number): void {
    this.#sql.exec("DELETE FROM refusals WHERE hour_ms < ?", atMs);
  }

  get isEmpty(): boolean {
    return this.#sql.exec("SELECT 1 FROM refusals LIMIT 1").toArray().length === 0;
  }
}

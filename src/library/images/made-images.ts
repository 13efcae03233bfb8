/** How many pictures an image maker has made for each playback ID of late, in its SQLite. */
const IMAGES_PER_MINUTE = 120;
const IMAGES_PER_DAY = 5000;
const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 3_600_000;

export class MadeImages {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(
      "CREATE TABLE IF NOT EXISTS spent (playback_id TEXT NOT NULL, at INTEGER NOT NULL, weight INTEGER NOT NULL)",
    );
    sql.exec("CREATE INDEX IF NOT EXISTS spent_by_time ON spent (playback_id, at, weight)");
  }

  /** When the last picture was made for a playback ID, epoch ms; 0 = none. */
  get lastMs(): number {
    return this.#sql.exec<{ at: number | null }>("SELECT max(at) AS at FROM spent").one().at ?? 0;
  }

  /** Spends on a picture before it is made, so that one that fails counts too. @returns 0, or the ms until it may be made */
  spend(playbackId: string, weight: number, nowMs: number): number {
    this.#sql.exec("DELETE FROM spent WHERE at <= ?", nowMs - DAY_MS);
    const waits = [
      this.#wait(playbackId, weight, nowMs, MINUTE_MS, IMAGES_PER_MINUTE),
      this.#wait(playbackId, weight, nowMs, DAY_MS, IMAGES_PER_DAY),
    ];
    if (waits.every((waitMs) => waitMs === 0))
      this.#sql.exec("INSERT INTO spent VALUES (?, ?, ?)", playbackId, nowMs, weight);
    return Math.max(...waits);
  }

  /** @returns ms until the oldest picture of the span no longer counts; 0 = one more is within the bound */
  #wait(playbackId: string, weight: number, nowMs: number, spanMs: number, bound: number): number {
    const { total, first } = this.#sql
      .exec<{ total: number; first: number }>(
        "SELECT coalesce(sum(weight), 0) AS total, coalesce(min(at), 0) AS first FROM spent WHERE playback_id = ? AND at > ?",
        playbackId,
        nowMs - spanMs,
      )
      .one();
    return total + weight > bound ? Math.max(1, first + spanMs - nowMs) : 0;
  }
}

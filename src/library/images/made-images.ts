/** What an asset's image maker has made of late, in its own SQLite: how much for each playback ID, and which pictures. */
const IMAGES_PER_MINUTE = 120;
/** Pictures are stored for good, so their number is bounded too. */
const IMAGES_PER_DAY = 5000;
const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 3_600_000;
const KEPT_IMAGES = 500;

interface MadeRow extends Record<string, SqlStorageValue> {
  name: string;
}

export class MadeImages {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(
      "CREATE TABLE IF NOT EXISTS spent (playback_id TEXT NOT NULL, at INTEGER NOT NULL, weight INTEGER NOT NULL)",
    );
    sql.exec("CREATE INDEX IF NOT EXISTS spent_by_time ON spent (playback_id, at, weight)");
    sql.exec(
      "CREATE TABLE IF NOT EXISTS made (name TEXT PRIMARY KEY, playback_id TEXT NOT NULL, at_seconds REAL NOT NULL, at INTEGER NOT NULL)",
    );
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

  remember(name: string, playbackId: string, seconds: number, nowMs: number): void {
    this.#sql.exec("INSERT OR REPLACE INTO made VALUES (?, ?, ?, ?)", name, playbackId, seconds, nowMs);
    this.#sql.exec(
      "DELETE FROM made WHERE name IN (SELECT name FROM made ORDER BY at DESC LIMIT -1 OFFSET ?)",
      KEPT_IMAGES,
    );
  }

  /** The name of the picture of this playback ID that is nearest in time, of the same format if there is one. */
  nearest(playbackId: string, seconds: number, extension: string): string | null {
    const [row] = this.#sql
      .exec<MadeRow>(
        "SELECT name FROM made WHERE playback_id = ? ORDER BY name NOT LIKE ?, abs(at_seconds - ?) LIMIT 1",
        playbackId,
        `%.${extension}`,
        seconds,
      )
      .toArray();
    return row?.name ?? null;
  }
}

/** The pictures of an asset that are stored, in its image maker's SQLite: which are deleted, and how much they take. */
const KEEP_MS = 30 * 24 * 3_600_000;
const MAX_BYTES = 256 << 20;
/** Rows of the table, when pictures are small. */
const MAX_IMAGES = 20_000;
/** R2 deletes as many in one call. */
const AT_ONCE = 1000;

export interface KeptImage {
  name: string;
  /** Null = the platform made it itself: it is counted, and does not expire. */
  playbackId: string | null;
  /** Time in the presentation; null = an animation or a sheet. */
  seconds: number | null;
  bytes: number;
}

interface NameRow extends Record<string, SqlStorageValue> {
  name: string;
}

/** The nearer one of the last before a time and the first after it. */
const NEAREST = `SELECT name FROM (
    SELECT * FROM (SELECT name, at_seconds FROM kept
      WHERE playback_id = ?1 AND at_seconds <= ?2 AND name LIKE ?3 ORDER BY at_seconds DESC LIMIT 1)
    UNION ALL
    SELECT * FROM (SELECT name, at_seconds FROM kept
      WHERE playback_id = ?1 AND at_seconds > ?2 AND name LIKE ?3 ORDER BY at_seconds LIMIT 1))
  ORDER BY abs(at_seconds - ?2) LIMIT 1`;

export class KeptImages {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(
      "CREATE TABLE IF NOT EXISTS kept (name TEXT PRIMARY KEY, playback_id TEXT, at_seconds REAL, at INTEGER NOT NULL, bytes INTEGER NOT NULL)",
    );
    // With the name, the index alone answers `nearest`.
    sql.exec(
      "CREATE INDEX IF NOT EXISTS kept_by_time ON kept (playback_id, at_seconds, name) WHERE at_seconds IS NOT NULL",
    );
    sql.exec("DROP TABLE IF EXISTS made"); // until 2026-11-28, of the newest pictures
  }

  add({ name, playbackId, seconds, bytes }: KeptImage, nowMs: number): void {
    this.#sql.exec("INSERT OR REPLACE INTO kept VALUES (?, ?, ?, ?, ?)", name, playbackId, seconds, nowMs, bytes);
  }

  get bytes(): number {
    return this.#sql.exec<{ total: number }>("SELECT coalesce(sum(bytes), 0) AS total FROM kept").one().total;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** When the next picture expires, epoch ms; null = none does. */
  get nextExpiryMs(): number | null {
    const select = "SELECT min(at) AS at FROM kept WHERE playback_id IS NOT NULL";
    const { at } = this.#sql.exec<{ at: number | null }>(select).one();
    return at === null ? null : at + KEEP_MS;
  }

  /** Whether more is kept than may be. */
  get isBeyondBounds(): boolean {
    return this.bytes > MAX_BYTES || this.#count > MAX_IMAGES;
  }

  /** Pictures to delete, at most as many as R2 deletes at once: expired ones, then the oldest ones beyond the bounds. */
  due(nowMs: number): string[] {
    const expired = this.#sql
      .exec<NameRow>(
        `SELECT name FROM kept WHERE playback_id IS NOT NULL AND at <= ? ORDER BY at LIMIT ${AT_ONCE}`,
        nowMs - KEEP_MS,
      )
      .toArray();
    if (expired.length > 0 || !this.isBeyondBounds) return expired.map(({ name }) => name);
    const [tooMuch, tooMany] = [this.bytes - MAX_BYTES, this.#count - MAX_IMAGES];
    const oldest = this.#sql.exec<NameRow & { before: number; number: number }>(
      `SELECT name, before, number FROM (
         SELECT name, at, sum(bytes) OVER (ORDER BY at, name) - bytes AS before, row_number() OVER (ORDER BY at, name) AS number
         FROM kept WHERE playback_id IS NOT NULL)
       WHERE before < ? OR number <= ? ORDER BY at, name LIMIT ${AT_ONCE}`,
      tooMuch,
      tooMany,
    );
    return oldest.toArray().map(({ name }) => name);
  }

  drop(names: readonly string[]): void {
    this.#sql.exec("DELETE FROM kept WHERE name IN (SELECT value FROM json_each(?))", JSON.stringify(names));
  }

  /** The name of the picture of this playback ID that is nearest in time, of the same format if there is one. */
  nearest(playbackId: string, seconds: number, extension: string): string | null {
    return this.#nearestLike(playbackId, seconds, `%.${extension}`) ?? this.#nearestLike(playbackId, seconds, "%");
  }

  /** @param pattern of the name, for LIKE */
  #nearestLike(playbackId: string, seconds: number, pattern: string): string | null {
    const [row] = this.#sql.exec<NameRow>(NEAREST, playbackId, seconds, pattern).toArray();
    return row?.name ?? null;
  }

  get #count(): number {
    return this.#sql.exec<{ count: number }>("SELECT count(*) AS count FROM kept").one().count;
  }
}

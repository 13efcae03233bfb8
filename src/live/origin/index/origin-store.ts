import type { LivePart, LiveSegment } from "../../../media/live/timeline.ts";

/** An array instead of an object saves memory: a session of twelve hours has a hundred thousand rows. */
type Row = [
  msn: number,
  capturedAtMs: number,
  decodeTicks: number,
  durationTicks: number,
  bytes: number,
  isDiscontinuous: number,
  initVersion: number,
  isGap: number,
  isWhole: number,
];

const COLUMNS =
  "msn, captured_at_ms, decode_ticks, duration_ticks, bytes, is_discontinuous, init_version, is_gap, is_whole";
const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS segments (rendition TEXT, msn INTEGER, captured_at_ms REAL NOT NULL, decode_ticks INTEGER NOT NULL,
    duration_ticks INTEGER NOT NULL, bytes INTEGER NOT NULL, is_discontinuous INTEGER NOT NULL, init_version INTEGER NOT NULL,
    is_gap INTEGER NOT NULL, is_whole INTEGER NOT NULL, parts TEXT NOT NULL, stored INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (rendition, msn)) WITHOUT ROWID`,
  // A session of twelve hours has a hundred thousand rows: the index finds pending uploads without a scan.
  "CREATE INDEX IF NOT EXISTS unstored ON segments (msn) WHERE stored = 0 AND is_whole = 1 AND is_gap = 0",
  // Finds discontinuities in sessions of several days without a scan.
  "CREATE INDEX IF NOT EXISTS discontinuous ON segments (rendition, msn) WHERE is_discontinuous = 1",
  // The starts of Periods. The name of the table is from earlier releases.
  "CREATE TABLE IF NOT EXISTS seams (rendition TEXT, msn INTEGER, PRIMARY KEY (rendition, msn)) WITHOUT ROWID",
  "CREATE TABLE IF NOT EXISTS marks (msn INTEGER PRIMARY KEY, seconds REAL NOT NULL)",
  "CREATE TABLE IF NOT EXISTS parts (rendition TEXT, msn INTEGER, part INTEGER, bytes BLOB NOT NULL, PRIMARY KEY (rendition, msn, part))",
];

/** A live origin's SQLite: metadata of every segment, bytes of the segments near the live edge. */
export class OriginStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Call only for a session that has begun: a request for an arbitrary id must not create tables. */
  createTables(): void {
    for (const statement of SCHEMA) this.#sql.exec(statement);
  }

  /** Derives the starts of Periods in a session that began before they were stored. */
  derivePeriodStarts(): void {
    this.#sql.exec(`INSERT OR IGNORE INTO seams (rendition, msn)
      SELECT s.rendition, s.msn FROM segments s LEFT JOIN segments b ON b.rendition = s.rendition AND b.msn = s.msn - 1
      WHERE b.msn IS NULL OR s.is_discontinuous = 1 OR s.is_gap <> b.is_gap OR s.init_version <> b.init_version`);
  }

  savePeriodStart(rendition: string, msn: number): void {
    this.#sql.exec("INSERT OR IGNORE INTO seams (rendition, msn) VALUES (?, ?)", rendition, msn);
  }

  /** In ascending order. @param rendition null = all renditions */
  periodStarts(rendition: string | null): number[] {
    const query = "SELECT DISTINCT msn FROM seams WHERE ? IS NULL OR rendition = ? ORDER BY msn";
    return this.#sql
      .exec<{ msn: number }>(query, rendition, rendition)
      .toArray()
      .map(({ msn }) => msn);
  }

  forgetPeriodStarts(beforeMsn: number): void {
    this.#sql.exec("DELETE FROM seams WHERE msn < ?", beforeMsn);
  }

  /** Stores the start time of a block of segments. */
  saveMark(msn: number, seconds: number): void {
    this.#sql.exec("INSERT OR REPLACE INTO marks (msn, seconds) VALUES (?, ?)", msn, seconds);
  }

  /** The last block that starts at or before this time; the session's start when there is none. */
  markBefore(seconds: number): { msn: number; seconds: number } {
    const before = Number.isFinite(seconds) ? seconds : Number.MAX_VALUE;
    const query = "SELECT msn, seconds FROM marks WHERE seconds <= ? ORDER BY msn DESC LIMIT 1";
    return this.#sql.exec<{ msn: number; seconds: number }>(query, before).toArray()[0] ?? { msn: 0, seconds: 0 };
  }

  saveSegment(rendition: string, segment: LiveSegment): void {
    const { msn, capturedAtMs, decodeTicks, durationTicks, bytes, initVersion, parts } = segment;
    this.#sql.exec(
      `INSERT INTO segments (rendition, msn, captured_at_ms, decode_ticks, duration_ticks, bytes, is_discontinuous, init_version,
         is_gap, is_whole, parts) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (rendition, msn) DO UPDATE SET duration_ticks = excluded.duration_ticks, bytes = excluded.bytes,
         is_whole = excluded.is_whole, parts = excluded.parts`,
      rendition,
      msn,
      capturedAtMs,
      decodeTicks,
      durationTicks,
      bytes,
      Number(segment.isDiscontinuous),
      initVersion,
      Number(segment.isGap),
      Number(segment.isWhole),
      JSON.stringify(parts),
    );
  }

  savePart(rendition: string, msn: number, part: number, bytes: Uint8Array): void {
    this.#sql.exec(
      "INSERT INTO parts (rendition, msn, part, bytes) VALUES (?, ?, ?, ?)",
      rendition,
      msn,
      part,
      bytes.slice().buffer,
    );
  }

  /** The newest segments in ascending order; the last `withParts` of them have their parts. */
  newest(rendition: string, limit: number, withParts: number): LiveSegment[] {
    const rows = this.#sql.exec(
      `SELECT ${COLUMNS} FROM segments WHERE rendition = ? ORDER BY msn DESC LIMIT ?`,
      rendition,
      limit,
    );
    const segments = [...rows.raw<Row>()].map(toSegment).toReversed();
    for (const segment of segments.slice(-withParts)) segment.parts = this.partsOf(rendition, segment.msn);
    return segments;
  }

  /** Segments in ascending order, both ends included, without parts. */
  between(rendition: string, firstMsn: number, lastMsn: number): LiveSegment[] {
    const query = `SELECT ${COLUMNS} FROM segments WHERE rendition = ? AND msn BETWEEN ? AND ? ORDER BY msn`;
    return [...this.#sql.exec(query, rendition, firstMsn, lastMsn).raw<Row>()].map(toSegment);
  }

  /** The named segments, without parts. */
  these(rendition: string, msns: number[]): LiveSegment[] {
    const query = `SELECT ${COLUMNS} FROM segments WHERE rendition = ? AND msn IN (SELECT value FROM json_each(?))`;
    return [...this.#sql.exec(query, rendition, JSON.stringify(msns)).raw<Row>()].map(toSegment);
  }

  discontinuitiesBetween(rendition: string, firstMsn: number, lastMsn: number): number {
    const query =
      "SELECT count(*) AS n FROM segments WHERE rendition = ? AND is_discontinuous = 1 AND msn BETWEEN ? AND ?";
    return this.#sql.exec<{ n: number }>(query, rendition, firstMsn, lastMsn).one().n;
  }

  /** The first and the last playable segment; null when there is none. */
  playable(rendition: string): { initVersion: number; lastMsn: number } | null {
    const end = (order: "ASC" | "DESC") =>
      this.#sql
        .exec<{ msn: number; init: number }>(
          `SELECT msn, init_version AS init FROM segments WHERE rendition = ? AND is_whole = 1 AND is_gap = 0 AND bytes > 0
           ORDER BY msn ${order} LIMIT 1`,
          rendition,
        )
        .toArray()[0];
    const [first, last] = [end("ASC"), end("DESC")];
    return first === undefined || last === undefined ? null : { initVersion: first.init, lastMsn: last.msn };
  }

  /** Deletes part boundaries that no playlist lists any more: playlists list parts near the live edge only. */
  forgetParts(rendition: string, beforeMsn: number): void {
    const oldest = this.#sql
      .exec<{ msn: number }>(
        "SELECT msn FROM segments WHERE rendition = ? AND msn < ? AND parts = '[]' ORDER BY msn DESC LIMIT 1",
        rendition,
        beforeMsn,
      )
      .toArray()[0]?.msn;
    this.#sql.exec(
      "UPDATE segments SET parts = '[]' WHERE rendition = ? AND msn > ? AND msn < ?",
      rendition,
      oldest ?? -1,
      beforeMsn,
    );
  }

  partsOf(rendition: string, msn: number): LivePart[] {
    const rows = this.#sql
      .exec<{ parts: string }>("SELECT parts FROM segments WHERE rendition = ? AND msn = ?", rendition, msn)
      .toArray();
    return rows[0] === undefined ? [] : (JSON.parse(rows[0].parts) as LivePart[]);
  }

  /** The bytes of a segment so far, or of one of its parts; null when they are only in R2. */
  bytes(rendition: string, msn: number, part: number | null): Uint8Array | null {
    const rows = this.#sql
      .exec<{ bytes: ArrayBuffer }>(
        "SELECT bytes FROM parts WHERE rendition = ? AND msn = ? AND (? IS NULL OR part = ?) ORDER BY part",
        rendition,
        msn,
        part,
        part,
      )
      .toArray();
    if (rows.length === 0) return null;
    const whole = new Uint8Array(rows.reduce((sum, { bytes }) => sum + bytes.byteLength, 0));
    let offset = 0;
    for (const { bytes } of rows) {
      whole.set(new Uint8Array(bytes), offset);
      offset += bytes.byteLength;
    }
    return whole;
  }

  /** Whole segments that are not in R2 yet, oldest first. */
  unstored(limit: number): { rendition: string; msn: number; initVersion: number }[] {
    return this.#sql
      .exec<{ rendition: string; msn: number; initVersion: number }>(
        "SELECT rendition, msn, init_version AS initVersion FROM segments WHERE stored = 0 AND is_whole = 1 AND is_gap = 0 ORDER BY msn LIMIT ?",
        limit,
      )
      .toArray();
  }

  markStored(rendition: string, msn: number): void {
    this.#sql.exec("UPDATE segments SET stored = 1 WHERE rendition = ? AND msn = ?", rendition, msn);
  }

  /** Deletes bytes of older segments that R2 has. Newer ones stay for players at the live edge. */
  forgetBytes(rendition: string, beforeMsn: number): void {
    this.#sql.exec(
      `DELETE FROM parts WHERE rendition = ? AND msn < ?
       AND EXISTS (SELECT 1 FROM segments s WHERE s.rendition = parts.rendition AND s.msn = parts.msn AND s.stored = 1)`,
      rendition,
      beforeMsn,
    );
  }
}

const toSegment = ([
  msn,
  capturedAtMs,
  decodeTicks,
  durationTicks,
  bytes,
  discontinuous,
  initVersion,
  gap,
  whole,
]: Row): LiveSegment => ({
  msn,
  capturedAtMs,
  decodeTicks,
  durationTicks,
  bytes,
  isDiscontinuous: discontinuous === 1,
  initVersion,
  isGap: gap === 1,
  isWhole: whole === 1,
  parts: [],
});

import type { LivePart, LiveSegment } from "./timeline.ts";

/** Without names: there are a hundred thousand of them after twelve hours. */
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

const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS segments (rendition TEXT, msn INTEGER, captured_at_ms REAL NOT NULL, decode_ticks INTEGER NOT NULL,
    duration_ticks INTEGER NOT NULL, bytes INTEGER NOT NULL, is_discontinuous INTEGER NOT NULL, init_version INTEGER NOT NULL,
    is_gap INTEGER NOT NULL, is_whole INTEGER NOT NULL, parts TEXT NOT NULL, stored INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (rendition, msn)) WITHOUT ROWID`,
  // Twelve hours are a hundred thousand rows: what is still to be done is found without reading them.
  "CREATE INDEX IF NOT EXISTS unstored ON segments (msn) WHERE stored = 0 AND is_whole = 1 AND is_gap = 0",
  "CREATE TABLE IF NOT EXISTS parts (rendition TEXT, msn INTEGER, part INTEGER, bytes BLOB NOT NULL, PRIMARY KEY (rendition, msn, part))",
];

/** What a live origin keeps in its own SQLite: facts of every segment, bytes of those near the edge. */
export class OriginStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    for (const statement of SCHEMA) sql.exec(statement);
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

  /** In order, with the parts of the last `withParts` segments. */
  segmentsOf(rendition: string, withParts: number): LiveSegment[] {
    const rows = this.#sql.exec(
      `SELECT msn, captured_at_ms, decode_ticks, duration_ticks, bytes, is_discontinuous, init_version, is_gap, is_whole
       FROM segments WHERE rendition = ? ORDER BY msn`,
      rendition,
    );
    const segments = [...rows.raw<Row>()].map(toSegment);
    for (const segment of segments.slice(-withParts)) segment.parts = this.partsOf(rendition, segment.msn);
    return segments;
  }

  partsOf(rendition: string, msn: number): LivePart[] {
    const rows = this.#sql
      .exec<{ parts: string }>("SELECT parts FROM segments WHERE rendition = ? AND msn = ?", rendition, msn)
      .toArray();
    return rows[0] === undefined ? [] : (JSON.parse(rows[0].parts) as LivePart[]);
  }

  /** The bytes of a segment so far, or of one of its parts; null when they have gone to R2. */
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
  unstored(limit: number): { rendition: string; msn: number }[] {
    return this.#sql
      .exec<{ rendition: string; msn: number }>(
        "SELECT rendition, msn FROM segments WHERE stored = 0 AND is_whole = 1 AND is_gap = 0 ORDER BY msn LIMIT ?",
        limit,
      )
      .toArray();
  }

  markStored(rendition: string, msn: number): void {
    this.#sql.exec("UPDATE segments SET stored = 1 WHERE rendition = ? AND msn = ?", rendition, msn);
  }

  /** Bytes of segments in R2 are kept here for a while, for those at the live edge. */
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
  seam,
  initVersion,
  gap,
  whole,
]: Row): LiveSegment => ({
  msn,
  capturedAtMs,
  decodeTicks,
  durationTicks,
  bytes,
  isDiscontinuous: seam === 1,
  initVersion,
  isGap: gap === 1,
  isWhole: whole === 1,
  parts: [],
});

import type { SpokenWord } from "../../../../protocol/speech.ts";

/** What a speech model has heard in one part of a piece. */
export interface HeardPart {
  /** Times are those of the piece. */
  words: SpokenWord[];
  /** ISO 639; null = the model does not say. */
  languageCode: string | null;
  engine: string;
  model: string;
  /** Null = the engine does not say. */
  version: string | null;
  tookMs: number;
  /** The sound that was paid: in each of its calls, also in those whose answer was of no use. */
  paidMs: number;
  costMicroUsd: number;
}

/** A piece, or the part of one that is heard by itself. Times are those of the piece. */
export interface PartKey {
  piece: number;
  fromMs: number;
  /** Null = the end of the piece. */
  toMs: number | null;
}

/** A part that is still to be heard by a provider. */
export interface OpenPart extends PartKey {
  /** Calls so far. */
  tries: number;
  /** Those that were answered with something unusable. */
  unusable: number;
  /** What its calls have cost so far, and how much sound they had. */
  paidMs: number;
  costMicroUsd: number;
  /** Epoch ms. */
  dueMs: number;
}

/** An earlier release has not noted what was paid. */
type OldPart = Omit<HeardPart, "version" | "paidMs" | "costMicroUsd"> & Partial<HeardPart>;

interface StoredPart extends Record<string, SqlStorageValue> {
  piece: number;
  from_ms: number;
  to_ms: number | null;
  tries: number;
  unusable: number;
  paid_ms: number;
  cost_micro_usd: number;
  due_ms: number;
}

/** Failed tracks of one media whose parts are kept. */
const MOST_SET_ASIDE = 4;

/**
 * The pieces of speech of generated tracks, in the asset machine's own SQLite. A row is stored when its part is heard, so a crash repeats one part. What a track
 * had heard when it failed is set aside for the next one of the same sound.
 */
export class HeardStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(`CREATE TABLE IF NOT EXISTS heard_parts (
      track_id TEXT NOT NULL, piece INTEGER NOT NULL, from_ms REAL NOT NULL, to_ms REAL,
      tries INTEGER NOT NULL DEFAULT 0, unusable INTEGER NOT NULL DEFAULT 0,
      paid_ms REAL NOT NULL DEFAULT 0, cost_micro_usd INTEGER NOT NULL DEFAULT 0,
      due_ms INTEGER NOT NULL DEFAULT 0, heard TEXT, PRIMARY KEY (track_id, piece, from_ms)) WITHOUT ROWID`);
    sql.exec(`CREATE TABLE IF NOT EXISTS heard_sources (
      track_id TEXT PRIMARY KEY, source TEXT NOT NULL, set_aside_ms INTEGER) WITHOUT ROWID`);
    this.#takeOver();
  }

  /** Whole pieces of an earlier release. */
  #takeOver(): void {
    const isOld = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'heard_pieces'";
    if (this.#sql.exec(isOld).toArray().length === 0) return;
    this.#sql.exec(`INSERT OR IGNORE INTO heard_parts (track_id, piece, from_ms, tries, unusable, due_ms, heard)
      SELECT track_id, piece, 0, tries, unusable, due_ms, heard FROM heard_pieces`);
    this.#sql.exec("DROP TABLE heard_pieces");
  }

  /**
   * All pieces are to be heard, each as a whole, except what a failed track of the same source has heard.
   *
   * @param source what decides the words: the pieces, the model, and what it is told
   */
  open(trackId: string, count: number, source: string): void {
    this.remove(trackId);
    const aside = "SELECT track_id FROM heard_sources WHERE source = ? AND set_aside_ms IS NOT NULL";
    const [known] = this.#sql.exec<{ track_id: string }>(aside, source).toArray();
    this.#sql.exec("INSERT INTO heard_sources (track_id, source) VALUES (?, ?)", trackId, source);
    if (known === undefined) {
      for (let piece = 0; piece < count; piece += 1)
        this.#sql.exec("INSERT INTO heard_parts (track_id, piece, from_ms) VALUES (?, ?, 0)", trackId, piece);
      return;
    }
    const fresh = "UPDATE heard_parts SET track_id = ?, tries = 0, unusable = 0, due_ms = 0 WHERE track_id = ?";
    this.#sql.exec(fresh, trackId, known.track_id);
    this.#sql.exec("DELETE FROM heard_sources WHERE track_id = ?", known.track_id);
  }

  /** The track has failed. What it has heard outlives it, unless that was everything: then hearing is not at fault. */
  setAside(trackId: string, nowMs: number): void {
    const counted = "SELECT count(heard) AS heard, count(*) AS parts FROM heard_parts WHERE track_id = ?";
    const { heard, parts } = this.#sql.exec<{ heard: number; parts: number }>(counted, trackId).one();
    if (heard === 0 || heard === parts) return;
    const [{ source } = { source: "" }] = this.#sql
      .exec<{ source: string }>("SELECT source FROM heard_sources WHERE track_id = ?", trackId)
      .toArray();
    const older = this.#sql
      .exec<{ track_id: string; source: string }>(
        "SELECT track_id, source FROM heard_sources WHERE set_aside_ms IS NOT NULL ORDER BY set_aside_ms DESC",
      )
      .toArray()
      .filter((one, position) => one.source === source || position >= MOST_SET_ASIDE - 1);
    for (const { track_id } of older) this.#forget(track_id);
    this.#sql.exec("UPDATE heard_sources SET set_aside_ms = ? WHERE track_id = ?", nowMs, trackId);
  }

  /** Those that are not heard, in order. */
  pending(trackId: string): OpenPart[] {
    return this.#sql
      .exec<StoredPart>(
        `SELECT piece, from_ms, to_ms, tries, unusable, paid_ms, cost_micro_usd, due_ms FROM heard_parts
          WHERE track_id = ? AND heard IS NULL ORDER BY piece, from_ms`,
        trackId,
      )
      .toArray()
      .map(({ piece, from_ms, to_ms, tries, unusable, paid_ms, cost_micro_usd, due_ms }) => ({
        piece,
        fromMs: from_ms,
        toMs: to_ms,
        tries,
        unusable,
        paidMs: paid_ms,
        costMicroUsd: cost_micro_usd,
        dueMs: due_ms,
      }));
  }

  /** Stores that a call begins, or when the next one may. Like the next two, without effect on a part that has been heard, or was halved. */
  note(trackId: string, { piece, fromMs, toMs, tries, unusable, paidMs, costMicroUsd, dueMs }: OpenPart): void {
    this.#sql.exec(
      `UPDATE heard_parts SET tries = ?, unusable = ?, paid_ms = ?, cost_micro_usd = ?, due_ms = ?
        WHERE track_id = ? AND piece = ? AND from_ms = ? AND to_ms IS ? AND heard IS NULL`,
      tries,
      unusable,
      paidMs,
      costMicroUsd,
      dueMs,
      trackId,
      piece,
      fromMs,
      toMs,
    );
  }

  /**
   * Two parts take the place of one. What its calls have cost stays with the first half.
   *
   * @param middleMs between its times
   */
  halve(trackId: string, part: OpenPart, middleMs: number): void {
    const { piece, fromMs, toMs, unusable } = part;
    this.note(trackId, { ...part, tries: 0 });
    const { rowsWritten } = this.#sql.exec(
      "UPDATE heard_parts SET to_ms = ? WHERE track_id = ? AND piece = ? AND from_ms = ? AND to_ms IS ? AND heard IS NULL",
      middleMs,
      trackId,
      piece,
      fromMs,
      toMs,
    );
    if (rowsWritten === 0) return;
    this.#sql.exec(
      "INSERT INTO heard_parts (track_id, piece, from_ms, to_ms, unusable, due_ms) VALUES (?, ?, ?, ?, ?, ?)",
      trackId,
      piece,
      middleMs,
      toMs,
      unusable,
      part.dueMs,
    );
  }

  keep(trackId: string, { piece, fromMs, toMs }: PartKey, heard: HeardPart): void {
    this.#sql.exec(
      "UPDATE heard_parts SET heard = ? WHERE track_id = ? AND piece = ? AND from_ms = ? AND to_ms IS ? AND heard IS NULL",
      JSON.stringify(heard),
      trackId,
      piece,
      fromMs,
      toMs,
    );
  }

  /** 0 to 100. Each piece counts the same, and so do the parts of one: it does not fall when a piece is halved. */
  percent(trackId: string): number {
    const [row] = this.#sql
      .exec<{ heard: number | null }>(
        `SELECT avg(share) AS heard FROM (
          SELECT count(heard) * 1.0 / count(*) AS share FROM heard_parts WHERE track_id = ? GROUP BY piece)`,
        trackId,
      )
      .toArray();
    return Math.floor((row?.heard ?? 0) * 100);
  }

  /** What has been heard, in the order of the pieces and of their parts. One piece at a time, because 12 h have megabytes. */
  *heard(trackId: string): Generator<{ piece: number; parts: HeardPart[] }> {
    const rows = this.#sql.exec<{ piece: number; heard: string }>(
      "SELECT piece, heard FROM heard_parts WHERE track_id = ? AND heard IS NOT NULL ORDER BY piece, from_ms",
      trackId,
    );
    let parts: HeardPart[] = [];
    let of = 0;
    for (const { piece, heard } of rows) {
      if (piece !== of && parts.length > 0) yield { piece: of, parts };
      if (piece !== of) parts = [];
      of = piece;
      parts.push({ version: null, paidMs: 0, costMicroUsd: 0, ...(JSON.parse(heard) as OldPart) });
    }
    if (parts.length > 0) yield { piece: of, parts };
  }

  /** The track is no longer in preparation. What was set aside stays. */
  remove(trackId: string): void {
    const aside = "SELECT 1 FROM heard_sources WHERE track_id = ? AND set_aside_ms IS NOT NULL";
    if (this.#sql.exec(aside, trackId).toArray().length === 0) this.#forget(trackId);
  }

  #forget(trackId: string): void {
    this.#sql.exec("DELETE FROM heard_parts WHERE track_id = ?", trackId);
    this.#sql.exec("DELETE FROM heard_sources WHERE track_id = ?", trackId);
  }

  clear(): void {
    this.#sql.exec("DELETE FROM heard_parts");
    this.#sql.exec("DELETE FROM heard_sources");
  }
}

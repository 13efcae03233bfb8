import type { SpokenWord } from "../../../../protocol/speech.ts";

/** What a speech model has heard in one piece. */
export interface HeardPiece {
  /** Times are those of the piece. */
  words: SpokenWord[];
  /** ISO 639; null = the model does not say. */
  languageCode: string | null;
  engine: string;
  model: string;
  tookMs: number;
  costMicroUsd: number;
}

/** A piece that is still to be heard by a provider. */
export interface OpenPiece {
  piece: number;
  /** Calls so far. */
  tries: number;
  /** Those that were answered with something unusable. */
  unusable: number;
  /** Epoch ms. */
  dueMs: number;
}

interface StoredPiece extends Record<string, SqlStorageValue> {
  piece: number;
  tries: number;
  unusable: number;
  due_ms: number;
}

/** The pieces of speech of generated tracks, in the asset machine's own SQLite. A row is stored when its piece is heard, so a crash repeats one piece. */
export class HeardStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(`CREATE TABLE IF NOT EXISTS heard_pieces (
      track_id TEXT NOT NULL, piece INTEGER NOT NULL, tries INTEGER NOT NULL DEFAULT 0, unusable INTEGER NOT NULL DEFAULT 0,
      due_ms INTEGER NOT NULL DEFAULT 0, heard TEXT, PRIMARY KEY (track_id, piece)) WITHOUT ROWID`);
  }

  /** All pieces are to be heard. */
  open(trackId: string, count: number): void {
    this.remove(trackId);
    for (let piece = 0; piece < count; piece += 1)
      this.#sql.exec("INSERT INTO heard_pieces (track_id, piece) VALUES (?, ?)", trackId, piece);
  }

  /** Those that are not heard, in order. */
  pending(trackId: string): OpenPiece[] {
    return this.#sql
      .exec<StoredPiece>(
        "SELECT piece, tries, unusable, due_ms FROM heard_pieces WHERE track_id = ? AND heard IS NULL ORDER BY piece",
        trackId,
      )
      .toArray()
      .map(({ piece, tries, unusable, due_ms: dueMs }) => ({ piece, tries, unusable, dueMs }));
  }

  /** Stores that a call begins, or when the next one may. */
  note(trackId: string, { piece, tries, unusable, dueMs }: OpenPiece): void {
    this.#sql.exec(
      "UPDATE heard_pieces SET tries = ?, unusable = ?, due_ms = ? WHERE track_id = ? AND piece = ?",
      tries,
      unusable,
      dueMs,
      trackId,
      piece,
    );
  }

  keep(trackId: string, piece: number, heard: HeardPiece): void {
    this.#sql.exec(
      "UPDATE heard_pieces SET heard = ? WHERE track_id = ? AND piece = ?",
      JSON.stringify(heard),
      trackId,
      piece,
    );
  }

  /** 0 to 100. */
  percent(trackId: string): number {
    const [row] = this.#sql
      .exec<{ heard: number; pieces: number }>(
        "SELECT count(heard) AS heard, count(*) AS pieces FROM heard_pieces WHERE track_id = ?",
        trackId,
      )
      .toArray();
    return row === undefined || row.pieces === 0 ? 0 : Math.floor((row.heard / row.pieces) * 100);
  }

  /** What has been heard, in the order of the pieces. One piece at a time, because 12 h have megabytes. */
  *heard(trackId: string): Generator<{ piece: number; heard: HeardPiece }> {
    const rows = this.#sql.exec<{ piece: number; heard: string }>(
      "SELECT piece, heard FROM heard_pieces WHERE track_id = ? AND heard IS NOT NULL ORDER BY piece",
      trackId,
    );
    for (const { piece, heard } of rows) yield { piece, heard: JSON.parse(heard) as HeardPiece };
  }

  remove(trackId: string): void {
    this.#sql.exec("DELETE FROM heard_pieces WHERE track_id = ?", trackId);
  }

  clear(): void {
    this.#sql.exec("DELETE FROM heard_pieces");
  }
}

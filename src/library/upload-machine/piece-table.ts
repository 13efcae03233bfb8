import type { PieceList } from "../sources/piece-list.ts";

interface PieceRow extends Record<string, SqlStorageValue> {
  number: number;
  start: number;
  bytes: number;
  /** When the object is deleted, epoch ms; null = stored for good. */
  delete_at: number | null;
}

/** The pieces of an upload. A piece is recorded before its first byte is written, so that no object in R2 is without a record. */
export class PieceTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    // AUTOINCREMENT: the number of a deleted piece is never used again.
    sql.exec(
      "CREATE TABLE IF NOT EXISTS pieces (number INTEGER PRIMARY KEY AUTOINCREMENT, start INTEGER NOT NULL, bytes INTEGER NOT NULL, delete_at INTEGER)",
    );
  }

  /** @param deleteAtMs the object is deleted then, unless the piece has been kept */
  open(start: number, bytes: number, deleteAtMs: number): number {
    return this.#sql
      .exec<{ number: number }>(
        "INSERT INTO pieces (start, bytes, delete_at) VALUES (?, ?, ?) RETURNING number",
        start,
        bytes,
        deleteAtMs,
      )
      .one().number;
  }

  get(piece: number): { start: number; bytes: number; isKept: boolean } | null {
    const [row] = this.#sql.exec<PieceRow>("SELECT * FROM pieces WHERE number = ?", piece);
    return row === undefined ? null : { start: row.start, bytes: row.bytes, isKept: row.delete_at === null };
  }

  keep(piece: number): void {
    this.#sql.exec("UPDATE pieces SET delete_at = NULL WHERE number = ?", piece);
  }

  /** Has the objects of open pieces deleted at once. */
  drop(pieces: number[]): void {
    for (const piece of pieces)
      this.#sql.exec("UPDATE pieces SET delete_at = 0 WHERE number = ? AND delete_at IS NOT NULL", piece);
  }

  /** Has every kept piece deleted at once. Open ones, which may still be written, are deleted at their time. */
  dropKept(): void {
    this.#sql.exec("UPDATE pieces SET delete_at = 0 WHERE delete_at IS NULL");
  }

  /** Has the oldest open pieces deleted at once, except the newest `count`. */
  dropOpenBeyond(count: number): void {
    this.#sql.exec(
      `UPDATE pieces SET delete_at = 0 WHERE delete_at > 0 AND number NOT IN
         (SELECT number FROM pieces WHERE delete_at > 0 ORDER BY number DESC LIMIT ?)`,
      count,
    );
  }

  get keptCount(): number {
    return this.#sql.exec<{ n: number }>("SELECT count(*) AS n FROM pieces WHERE delete_at IS NULL").one().n;
  }

  kept(): PieceList {
    return this.#sql
      .exec<PieceRow>("SELECT * FROM pieces WHERE delete_at IS NULL ORDER BY start")
      .toArray()
      .map(({ number, bytes }) => [number, bytes]);
  }

  due(nowMs: number, limit: number): number[] {
    return this.#sql
      .exec<{ number: number }>("SELECT number FROM pieces WHERE delete_at <= ? LIMIT ?", nowMs, limit)
      .toArray()
      .map(({ number }) => number);
  }

  /** Epoch ms; null when nothing is to be deleted. */
  get nextDeletion(): number | null {
    return this.#sql.exec<{ at: number | null }>("SELECT min(delete_at) AS at FROM pieces").one().at;
  }

  forget(pieces: number[]): void {
    for (const piece of pieces) this.#sql.exec("DELETE FROM pieces WHERE number = ?", piece);
  }
}

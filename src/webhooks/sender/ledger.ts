import type { Settled } from "./outcome.ts";

/** An attempt that has begun; kept before the request goes out, so that a crash leaves a trace of it. */
export interface Begun {
  eventId: string;
  number: number; // counts from 1 within the delivery
  tries: number; // of the schedule, this one included
  startedAtMs: number;
}

/** The attempts under way of one sender, in its own storage, and how they ended until D1 knows it. */
export class SenderLedger {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(
      "CREATE TABLE IF NOT EXISTS attempts (event_id TEXT PRIMARY KEY, begun TEXT NOT NULL, settled TEXT) WITHOUT ROWID",
    );
  }

  begin(begun: Begun): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO attempts (event_id, begun) VALUES (?, ?)",
      begun.eventId,
      JSON.stringify(begun),
    );
  }

  end(settled: Settled): void {
    this.#sql.exec("UPDATE attempts SET settled = ? WHERE event_id = ?", JSON.stringify(settled), settled.eventId);
  }

  forget(settled: Settled[]): void {
    const ids = JSON.stringify(settled.map(({ eventId }) => eventId));
    this.#sql.exec("DELETE FROM attempts WHERE event_id IN (SELECT value FROM json_each(?))", ids);
  }

  clear(): void {
    this.#sql.exec("DELETE FROM attempts");
  }

  /** What an earlier life of this object has left: ended but not told to D1, or cut off. */
  leftovers(): { settled: Settled[]; cutOff: Begun[] } {
    const rows = this.#sql
      .exec<{ begun: string; settled: string | null }>("SELECT begun, settled FROM attempts")
      .toArray();
    return {
      settled: rows.flatMap((row) => (row.settled === null ? [] : [JSON.parse(row.settled) as Settled])),
      cutOff: rows.flatMap((row) => (row.settled === null ? [JSON.parse(row.begun) as Begun] : [])),
    };
  }
}

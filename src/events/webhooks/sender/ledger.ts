/** An attempt about to be made; kept before the request goes out, so that a crash leaves a trace of it. */
export interface Begun {
  eventId: string;
  number: number; // counts from 1 within the delivery
  tries: number; // of the schedule, this one included
  startedAtMs: number;
}

/**
 * The attempts that are under way, or about to be, in the sender's own storage until D1 knows how they ended. They are written by the
 * group: each write waits for the disk, and that would take longer than sending.
 */
export class SenderLedger {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec("CREATE TABLE IF NOT EXISTS attempts (event_id TEXT PRIMARY KEY, begun TEXT NOT NULL) WITHOUT ROWID");
  }

  begin(group: Begun[]): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO attempts (event_id, begun) SELECT json_extract(value, '$.eventId'), value FROM json_each(?)",
      JSON.stringify(group),
    );
  }

  forget(eventIds: string[]): void {
    this.#sql.exec("DELETE FROM attempts WHERE event_id IN (SELECT value FROM json_each(?))", JSON.stringify(eventIds));
  }

  clear(): void {
    this.#sql.exec("DELETE FROM attempts");
  }

  /** What an earlier life of this object has left: whether it was sent, and how it went, is not known. */
  leftovers(): Begun[] {
    return this.#sql
      .exec<{ begun: string }>("SELECT begun FROM attempts")
      .toArray()
      .map(({ begun }) => JSON.parse(begun) as Begun);
  }
}

/** An attempt that is about to be made. It is journaled before the request is sent, so that it is on record after a crash. */
export interface StartedAttempt {
  eventId: string;
  number: number; // counts from 1 within the delivery
  schedule: number; // the delivery's, when this copy of it was read
  tries: number; // of that schedule, this one included
  startedAtMs: number;
}

/**
 * Write-ahead journal of a sender, in the object's own SQLite: attempts that are under way or about to start, until D1 has their
 * outcomes. Entries are written in groups, because each write waits for the disk, which takes longer than an attempt.
 */
export class AttemptJournal {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec("CREATE TABLE IF NOT EXISTS attempts (event_id TEXT PRIMARY KEY, begun TEXT NOT NULL) WITHOUT ROWID");
  }

  add(attempts: StartedAttempt[]): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO attempts (event_id, begun) SELECT json_extract(value, '$.eventId'), value FROM json_each(?)",
      JSON.stringify(attempts),
    );
  }

  remove(eventIds: string[]): void {
    this.#sql.exec("DELETE FROM attempts WHERE event_id IN (SELECT value FROM json_each(?))", JSON.stringify(eventIds));
  }

  clear(): void {
    this.#sql.exec("DELETE FROM attempts");
  }

  /** Attempts without a recorded outcome. After a restart it is unknown whether their requests were sent. */
  unfinished(): StartedAttempt[] {
    return this.#sql
      .exec<{ begun: string }>("SELECT begun FROM attempts")
      .toArray()
      .map(({ begun }) => JSON.parse(begun) as StartedAttempt);
  }
}

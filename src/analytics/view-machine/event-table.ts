import type { Fields } from "../views/fields.ts";
import type { ViewEvent } from "../views/view-event.ts";

/** Further events of a view are not stored: twelve hours have about 5,000. */
const MAX_EVENTS = 20_000;

const CREATE =
  "CREATE TABLE IF NOT EXISTS events (sequence INTEGER PRIMARY KEY, name TEXT NOT NULL, at_ms REAL NOT NULL, fields TEXT NOT NULL)";

interface EventRow extends Record<string, SqlStorageValue> {
  sequence: number;
  name: string;
  at_ms: number;
  fields: string;
}

/** The events of a view, in its machine's own SQLite. */
export class EventTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(CREATE);
  }

  get count(): number {
    return this.#sql.exec<{ count: number }>("SELECT count(*) AS count FROM events").one().count;
  }

  /** The highest sequence number; 0 = there is no event. */
  get last(): number {
    return this.#sql.exec<{ last: number | null }>("SELECT max(sequence) AS last FROM events").one().last ?? 0;
  }

  /** Name of the event with the highest sequence number; null = there is no event. */
  get lastName(): string | null {
    const [last] = this.#sql.exec<{ name: string }>("SELECT name FROM events ORDER BY sequence DESC LIMIT 1").toArray();
    return last?.name ?? null;
  }

  /** @returns the events that are new */
  add(events: readonly ViewEvent[]): ViewEvent[] {
    const room = MAX_EVENTS - this.count;
    const added: ViewEvent[] = [];
    for (const event of events) {
      if (added.length >= room) break;
      const insert = "INSERT OR IGNORE INTO events (sequence, name, at_ms, fields) VALUES (?, ?, ?, ?)";
      const { sequence, name, atMs, fields } = event;
      if (this.#sql.exec(insert, sequence, name, atMs, JSON.stringify(fields)).rowsWritten > 0) added.push(event);
    }
    return added;
  }

  /** In the order of the player. */
  all(): ViewEvent[] {
    return this.#sql
      .exec<EventRow>("SELECT * FROM events ORDER BY sequence")
      .toArray()
      .map(({ sequence, name, at_ms, fields }) => ({
        sequence,
        name,
        atMs: at_ms,
        fields: JSON.parse(fields) as Fields,
      }));
  }

  clear(): void {
    this.#sql.exec("DROP TABLE events"); // to delete each event would write, and cost, as many rows
    this.#sql.exec(CREATE);
  }
}

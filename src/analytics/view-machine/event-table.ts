import { type EncodedEvent, encodeEvent, type ViewEvent } from "../views/view-event.ts";

/** Further events of a view are not stored: twelve hours have about 5,000. */
const MAX_EVENTS = 20_000;
/** Characters of JSON in a row, unless one event has more. A row may have 2 MB, a character three bytes, and an event 400,000 characters. */
const MAX_ROW_LENGTH = 200_000;

const CREATE = `CREATE TABLE IF NOT EXISTS event_batches (
  id INTEGER PRIMARY KEY, received_at_ms REAL NOT NULL, sequences TEXT NOT NULL, last_name TEXT NOT NULL, events TEXT NOT NULL)`;

interface BatchRow extends Record<string, SqlStorageValue> {
  received_at_ms: number;
  /** JSON array of the events' sequence numbers. */
  sequences: string;
  /** Name of the event with the highest of them. */
  last_name: string;
}

/** What is known of the stored events without their fields. */
interface Known {
  sequences: Set<number>;
  last: number;
  lastName: string | null;
  lastReceivedAtMs: number;
}

/**
 * The events of a view, in its machine's own SQLite. Events that came together are one row, because Cloudflare bills the rows that are
 * written, and a beacon has several events.
 */
export class EventTable {
  readonly #sql: SqlStorage;
  #known: Known | null = null;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(CREATE);
    this.#convert();
  }

  get count(): number {
    return this.#read().sequences.size;
  }

  /** The highest sequence number; 0 = there is no event. */
  get last(): number {
    return this.#read().last;
  }

  /** Name of the event with the highest sequence number; null = there is no event. */
  get lastName(): string | null {
    return this.#read().lastName;
  }

  /** When the newest event was received, epoch ms; 0 = there is no event. */
  get lastReceivedAtMs(): number {
    return this.#read().lastReceivedAtMs;
  }

  /** When the transaction around it fails, `forgetCached` has to follow. @returns the events that are new */
  add(events: readonly EncodedEvent[], receivedAtMs: number): EncodedEvent[] {
    const { sequences } = this.#read();
    const added: EncodedEvent[] = [];
    for (const event of events) {
      if (sequences.has(event.sequence) || sequences.size >= MAX_EVENTS) continue;
      sequences.add(event.sequence);
      added.push(event);
    }
    for (const row of rowsOf(added)) this.#insert(row, receivedAtMs);
    return added;
  }

  /** In the order of the player. */
  all(): ViewEvent[] {
    return this.#sql
      .exec<{ events: string }>("SELECT events FROM event_batches")
      .toArray()
      .flatMap(({ events }) => JSON.parse(events) as ViewEvent[])
      .toSorted((one, other) => one.sequence - other.sequence);
  }

  clear(): void {
    this.#sql.exec("DROP TABLE event_batches"); // to delete each row would write, and cost, as many rows
    this.#sql.exec(CREATE);
    this.forgetCached();
  }

  /** After a transaction that failed: what was added in it is not stored. */
  forgetCached(): void {
    this.#known = null;
  }

  #insert(events: readonly EncodedEvent[], receivedAtMs: number): void {
    const sequences = events.map(({ sequence }) => sequence);
    const newest = events.reduce((one, other) => (other.sequence > one.sequence ? other : one));
    this.#sql.exec(
      "INSERT INTO event_batches (received_at_ms, sequences, last_name, events) VALUES (?, ?, ?, ?)",
      receivedAtMs,
      JSON.stringify(sequences),
      newest.name,
      `[${events.map(({ json }) => json).join(",")}]`,
    );
    const known = this.#read();
    if (newest.sequence > known.last) [known.last, known.lastName] = [newest.sequence, newest.name];
    known.lastReceivedAtMs = Math.max(known.lastReceivedAtMs, receivedAtMs);
  }

  #read(): Known {
    if (this.#known !== null) return this.#known;
    const known: Known = { sequences: new Set(), last: 0, lastName: null, lastReceivedAtMs: 0 };
    const select = "SELECT received_at_ms, sequences, last_name FROM event_batches";
    for (const { received_at_ms, sequences, last_name } of this.#sql.exec<BatchRow>(select)) {
      const numbers = JSON.parse(sequences) as number[];
      const last = numbers.reduce((one, other) => Math.max(one, other));
      for (const number of numbers) known.sequences.add(number);
      if (last > known.last) [known.last, known.lastName] = [last, last_name];
      known.lastReceivedAtMs = Math.max(known.lastReceivedAtMs, received_at_ms);
    }
    return (this.#known = known);
  }

  /** Until 2026-11-24 each event was a row of `events`. */
  #convert(): void {
    const isThere = "SELECT 1 FROM sqlite_schema WHERE name = 'events'";
    if (this.#sql.exec(isThere).toArray().length === 0) return;
    const select = "SELECT sequence, name, at_ms AS atMs, fields FROM events ORDER BY sequence";
    const events = this.#sql
      .exec<{ sequence: number; name: string; atMs: number; fields: string }>(select)
      .toArray()
      .map((row): ViewEvent => ({ ...row, fields: JSON.parse(row.fields) as ViewEvent["fields"] }));
    const receivedAtMs = Math.max(0, ...events.slice(-1).map(({ atMs }) => atMs));
    for (const row of rowsOf(events.map(encodeEvent))) this.#insert(row, receivedAtMs);
    this.#sql.exec("DROP TABLE events");
  }
}

/** Distributes events to rows, in their order. */
function rowsOf(events: readonly EncodedEvent[]): EncodedEvent[][] {
  const rows: EncodedEvent[][] = [];
  let length = Infinity;
  for (const event of events) {
    length += event.json.length;
    if (length > MAX_ROW_LENGTH) {
      rows.push([]);
      length = event.json.length;
    }
    rows.at(-1)!.push(event);
  }
  return rows;
}

import { hasColumn } from "../../platform/machine/has-column.ts";
import { type EncodedEvent, encodeEvent, type ViewEvent } from "../views/view-event.ts";

/** Most events of a view; further ones are not stored. Twelve hours have about 5,000. */
const MAX_EVENTS = 20_000;
/** Most of them that may be completed requests. A player that reports each segment sends thousands, and they must not displace the others. */
const MAX_REQUESTS = 10_000;
const REQUEST = "requestCompleted";
/** Most characters of JSON in all events of a view; further ones are not stored. Twelve hours have about 3,000,000. */
const MAX_LENGTH = 8 << 20;
/** Most characters of JSON in a row, unless one event has more. A row may have 2 MB; a character takes up to three bytes, and an event has up to 400,000. */
const MAX_ROW_LENGTH = 200_000;

const CREATE = `CREATE TABLE IF NOT EXISTS event_batches (
  id INTEGER PRIMARY KEY, received_at_ms REAL NOT NULL, sequences TEXT NOT NULL, last_name TEXT NOT NULL, events TEXT NOT NULL,
  requests INTEGER NOT NULL DEFAULT 0)`;

interface BatchRow extends Record<string, SqlStorageValue> {
  received_at_ms: number;
  /** JSON array of the events' sequence numbers. */
  sequences: string;
  /** Name of the event with the highest number. */
  last_name: string;
  /** How many of the events are completed requests; 0 in rows of releases before 2026-11-28. */
  requests: number;
  length: number;
}

/** The stored events without their fields. */
interface Known {
  sequences: Set<number>;
  /** Completed requests. */
  requests: number;
  last: number;
  lastName: string | null;
  lastReceivedAtMs: number;
  /** Characters of JSON. */
  length: number;
}

/**
 * The events of a view, in its machine's own SQLite. Events that arrived together are one row, because Cloudflare bills written rows and a beacon
 * has several events.
 */
export class EventTable {
  readonly #sql: SqlStorage;
  #known: Known | null = null;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(CREATE);
    if (!hasColumn(sql, "event_batches", "requests"))
      sql.exec("ALTER TABLE event_batches ADD COLUMN requests INTEGER NOT NULL DEFAULT 0");
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

  /** Call `forgetCached` when the surrounding transaction fails. @returns the new events */
  add(events: readonly EncodedEvent[], receivedAtMs: number): EncodedEvent[] {
    const known = this.#read();
    const { sequences } = known;
    const added: EncodedEvent[] = [];
    for (const event of events) {
      if (sequences.has(event.sequence) || sequences.size >= MAX_EVENTS) continue;
      if (known.length + event.json.length > MAX_LENGTH) continue;
      if (isRequest(event) && known.requests >= MAX_REQUESTS) continue;
      known.requests += Number(isRequest(event));
      sequences.add(event.sequence);
      known.length += event.json.length;
      added.push(event);
    }
    for (const row of rowsOf(added)) this.#insert(row, receivedAtMs);
    return added;
  }

  /** All events in the player's order. */
  all(): ViewEvent[] {
    return this.#sql
      .exec<{ events: string }>("SELECT events FROM event_batches")
      .toArray()
      .flatMap(({ events }) => JSON.parse(events) as ViewEvent[])
      .toSorted((one, other) => one.sequence - other.sequence);
  }

  clear(): void {
    this.#sql.exec("DROP TABLE event_batches"); // deleted rows are billed as writes
    this.#sql.exec(CREATE);
    this.forgetCached();
  }

  /** Call after a failed transaction: its events are not stored. */
  forgetCached(): void {
    this.#known = null;
  }

  #insert(events: readonly EncodedEvent[], receivedAtMs: number): void {
    const sequences = events.map(({ sequence }) => sequence);
    const newest = events.reduce((one, other) => (other.sequence > one.sequence ? other : one));
    this.#sql.exec(
      "INSERT INTO event_batches (received_at_ms, sequences, last_name, events, requests) VALUES (?, ?, ?, ?, ?)",
      receivedAtMs,
      JSON.stringify(sequences),
      newest.name,
      `[${events.map(({ json }) => json).join(",")}]`,
      events.filter(isRequest).length,
    );
    const known = this.#read();
    if (newest.sequence > known.last) [known.last, known.lastName] = [newest.sequence, newest.name];
    known.lastReceivedAtMs = Math.max(known.lastReceivedAtMs, receivedAtMs);
  }

  #read(): Known {
    if (this.#known !== null) return this.#known;
    const known: Known = { sequences: new Set(), requests: 0, last: 0, lastName: null, lastReceivedAtMs: 0, length: 0 };
    const select = "SELECT received_at_ms, sequences, last_name, requests, length(events) AS length FROM event_batches";
    for (const { received_at_ms, sequences, last_name, requests, length } of this.#sql.exec<BatchRow>(select)) {
      const numbers = JSON.parse(sequences) as number[];
      const last = numbers.reduce((one, other) => Math.max(one, other));
      for (const number of numbers) known.sequences.add(number);
      if (last > known.last) [known.last, known.lastName] = [last, last_name];
      known.lastReceivedAtMs = Math.max(known.lastReceivedAtMs, received_at_ms);
      known.requests += requests;
      known.length += length;
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

const isRequest = ({ name }: EncodedEvent): boolean => name === REQUEST;

/** Divides events into rows, in order. */
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

/** Bounds of one delivery: a message may have 2 MB, and a Durable Object shares 128 MB with others of its class. */
const DELIVERY_MESSAGES = 50;
const DELIVERY_LENGTH = 2_000_000;

export interface OutboxMessage {
  seq: number;
  kind: string;
  payload: unknown;
}

/** Brings messages to their destination, in order. A message may come twice. Throws to have them delivered again later. */
export type Deliver = (messages: OutboxMessage[]) => Promise<void>;

interface OutboxRow extends Record<string, SqlStorageValue> {
  seq: number;
  kind: string;
  payload: string;
}

/**
 * Messages that a Durable Object owes to other stores, in its own SQLite. A message enqueued in the transaction of the change that it
 * announces is lost by no crash: it stays until a delivery has succeeded.
 */
export class Outbox<Message extends { kind: string; payload: unknown }> {
  readonly #sql: SqlStorage;
  readonly #deliver: Deliver;
  #draining: Promise<void> = Promise.resolve();

  constructor(sql: SqlStorage, deliver: Deliver) {
    this.#sql = sql;
    this.#deliver = deliver;
    sql.exec(
      "CREATE TABLE IF NOT EXISTS outbox (seq INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, payload TEXT NOT NULL)",
    );
  }

  enqueue({ kind, payload }: Message): void {
    this.#sql.exec("INSERT INTO outbox (kind, payload) VALUES (?, ?)", kind, JSON.stringify(payload));
  }

  clear(): void {
    this.#sql.exec("DELETE FROM outbox");
  }

  /**
   * Delivers until the outbox is empty. One run at a time, because two at once would deliver the same messages.
   *
   * @throws what the delivery threw; its messages stay
   */
  drain(): Promise<void> {
    const drained = this.#draining.then(() => this.#drainAll());
    this.#draining = drained.catch(() => {});
    return drained;
  }

  async #drainAll(): Promise<void> {
    for (let rows = this.#nextDelivery(); rows.length > 0; rows = this.#nextDelivery()) {
      await this.#deliver(rows.map(({ payload, ...row }) => ({ ...row, payload: JSON.parse(payload) as unknown })));
      this.#sql.exec("DELETE FROM outbox WHERE seq <= ?", rows.at(-1)!.seq);
    }
  }

  /** The oldest messages: at most `DELIVERY_MESSAGES`, and no more once their length reaches `DELIVERY_LENGTH`. */
  #nextDelivery(): OutboxRow[] {
    const rows: OutboxRow[] = [];
    let length = 0;
    for (const row of this.#sql.exec<OutboxRow>(
      "SELECT seq, kind, payload FROM outbox ORDER BY seq LIMIT ?",
      DELIVERY_MESSAGES,
    )) {
      rows.push(row);
      length += row.payload.length;
      if (length >= DELIVERY_LENGTH) break;
    }
    return rows;
  }
}

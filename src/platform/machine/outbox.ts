/** Bounds of one flush: a message may have 2 MB, and Durable Objects of a class share 128 MB of memory. */
const FLUSH_MESSAGES = 50;
const FLUSH_LENGTH = 2_000_000;

interface AnyMessage {
  kind: string;
  payload: unknown;
}

/** A message as it is sent. `seq` rises with each message of an outbox. */
export type Sequenced<Message> = Message & { seq: number };

/** Writes messages to their destination, in order. A message may be repeated. When it throws, the messages are sent again later. */
export type SendMessages<Message> = (messages: Sequenced<Message>[]) => Promise<void>;

interface OutboxRow extends Record<string, SqlStorageValue> {
  seq: number;
  kind: string;
  payload: string;
}

/**
 * Transactional outbox: messages for other stores, in the Durable Object's own SQLite. A message is enqueued in the transaction of the
 * change it announces and stays until it has been sent, so no crash loses it.
 */
export class Outbox<Message extends AnyMessage = AnyMessage> {
  readonly #sql: SqlStorage;
  readonly #send: SendMessages<Message>;
  #draining: Promise<void> = Promise.resolve();

  constructor(sql: SqlStorage, send: SendMessages<Message>) {
    this.#sql = sql;
    this.#send = send;
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
   * Sends messages until the outbox is empty. Concurrent calls run one after the other, so that no message is sent twice.
   *
   * @throws what `send` threw; its messages stay
   */
  drain(): Promise<void> {
    const drained = this.#draining.then(() => this.#drainAll());
    this.#draining = drained.catch(() => {});
    return drained;
  }

  async #drainAll(): Promise<void> {
    for (let rows = this.#nextMessages(); rows.length > 0; rows = this.#nextMessages()) {
      await this.#send(rows.map(toMessage<Message>));
      this.#sql.exec("DELETE FROM outbox WHERE seq <= ?", rows.at(-1)!.seq);
    }
  }

  /** The oldest messages: at most `FLUSH_MESSAGES`, and no further ones once their length reaches `FLUSH_LENGTH`. */
  #nextMessages(): OutboxRow[] {
    const rows: OutboxRow[] = [];
    let length = 0;
    for (const row of this.#sql.exec<OutboxRow>(
      "SELECT seq, kind, payload FROM outbox ORDER BY seq LIMIT ?",
      FLUSH_MESSAGES,
    )) {
      rows.push(row);
      length += row.payload.length;
      if (length >= FLUSH_LENGTH) break;
    }
    return rows;
  }
}

/** A row holds what `enqueue` wrote, of this release or an earlier one. */
function toMessage<Message>({ seq, kind, payload }: OutboxRow): Sequenced<Message> {
  const message: unknown = { seq, kind, payload: JSON.parse(payload) };
  return message as Sequenced<Message>;
}

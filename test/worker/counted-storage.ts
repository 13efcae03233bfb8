/** What a row is written by: a statement, a value of `kv`, or an alarm, which is billed as a row. */
export type Writer = { sql: string } | "kv" | "alarm";

/** A storage that reports the rows that are written, which Cloudflare bills, and remembers the alarm instead of setting it. */
export class CountedStorage {
  alarmMs: number | null = null;
  readonly #storage: DurableObjectStorage;
  readonly #count: (by: Writer, rows: number) => void;

  constructor(storage: DurableObjectStorage, count: (by: Writer, rows: number) => void) {
    this.#storage = storage;
    this.#count = count;
  }

  readonly sql = {
    exec: (sql: string, ...values: SqlStorageValue[]) => {
      const cursor = this.#storage.sql.exec(sql, ...values);
      const raw: SqlStorageValue[][] = [...cursor.raw()];
      const { columnNames, rowsWritten } = cursor;
      this.#count({ sql }, rowsWritten);
      const found = raw.map((row) => Object.fromEntries(columnNames.map((name, column) => [name, row[column]])));
      return Object.assign(found.values(), {
        toArray: () => found,
        one: () => found[0],
        raw: () => Object.assign(raw.values(), { toArray: () => raw }),
        rowsWritten,
      });
    },
  };

  readonly kv = {
    get: (key: string): unknown => this.#storage.kv.get(key),
    put: (key: string, value: unknown): void => {
      this.#count("kv", 1);
      this.#storage.kv.put(key, value);
    },
  };

  transactionSync<T>(write: () => T): T {
    return this.#storage.transactionSync(write);
  }

  async setAlarm(atMs: number): Promise<void> {
    this.#count("alarm", 1);
    this.alarmMs = atMs;
  }

  async deleteAlarm(): Promise<void> {
    this.alarmMs = null;
  }
}

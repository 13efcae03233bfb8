/** Typed access to a Durable Object's key-value storage: one document per key. `Documents` maps keys to their types. */
export class DocumentStore<Documents extends object> {
  readonly #kv: SyncKvStorage;

  constructor(storage: DurableObjectStorage) {
    this.#kv = storage.kv;
  }

  get<Key extends keyof Documents & string>(key: Key): Documents[Key] | undefined {
    return this.#kv.get<Documents[Key]>(key);
  }

  put<Key extends keyof Documents & string>(key: Key, value: Documents[Key]): void {
    this.#kv.put(key, value);
  }

  delete(...keys: (keyof Documents & string)[]): void {
    for (const key of keys) this.#kv.delete(key);
  }
}

/** Values that are valid for a time, kept by this isolate. The least recently written ones are dropped when there are too many. */
export class TtlCache<Value> {
  private readonly entries = new Map<string, { value: Value; until: number }>();
  private readonly maxEntries: number;

  constructor(maxEntries: number) {
    this.maxEntries = maxEntries;
  }

  /** @param nowMs epoch ms */
  get(key: string, nowMs: number): Value | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.until > nowMs) return entry.value;
    this.entries.delete(key);
    return undefined;
  }

  /** @param until epoch ms; from then on the value is gone */
  set(key: string, value: Value, until: number) {
    this.entries.delete(key);
    this.entries.set(key, { value, until });
    for (const oldest of this.entries.keys()) {
      if (this.entries.size <= this.maxEntries) break;
      this.entries.delete(oldest);
    }
  }

  delete(key: string) {
    this.entries.delete(key);
  }
}

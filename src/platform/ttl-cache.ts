/** A per-isolate cache with expiry. Beyond `maxEntries`, the least recently written values are evicted. */
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

  /** @param until expiry, epoch ms */
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

/** A per-isolate cache with expiry. Beyond `maxSize`, the least recently written values are evicted. */
export class TtlCache<Value> {
  private readonly entries = new Map<string, { value: Value; until: number }>();
  private readonly maxSize: number;
  private readonly sizeOf: (value: Value) => number;
  private size = 0;

  /** @param sizeOf a value's share of `maxSize`; by default each counts as one */
  constructor(maxSize: number, sizeOf: (value: Value) => number = () => 1) {
    this.maxSize = maxSize;
    this.sizeOf = sizeOf;
  }

  /** @param nowMs epoch ms */
  get(key: string, nowMs: number): Value | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.until > nowMs) return entry.value;
    this.delete(key);
    return undefined;
  }

  /** @param until expiry, epoch ms */
  set(key: string, value: Value, until: number) {
    this.delete(key);
    this.entries.set(key, { value, until });
    this.size += this.sizeOf(value);
    for (const oldest of this.entries.keys()) {
      if (this.size <= this.maxSize) break;
      this.delete(oldest);
    }
  }

  delete(key: string) {
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    this.entries.delete(key);
    this.size -= this.sizeOf(entry.value);
  }
}

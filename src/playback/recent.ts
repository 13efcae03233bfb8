/** Values that are good for a moment, kept by this isolate; the oldest go first when there are too many. */
export class Recent<Value> {
  private readonly entries = new Map<string, { value: Value; until: number }>();
  private readonly most: number;

  constructor(most: number) {
    this.most = most;
  }

  get(key: string, now: number): Value | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.until > now) return entry.value;
    this.entries.delete(key);
    return undefined;
  }

  set(key: string, value: Value, until: number) {
    this.entries.delete(key);
    this.entries.set(key, { value, until });
    for (const oldest of this.entries.keys()) {
      if (this.entries.size <= this.most) break;
      this.entries.delete(oldest);
    }
  }

  delete(key: string) {
    this.entries.delete(key);
  }
}

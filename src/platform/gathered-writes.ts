/** A write that takes longer belongs to a request that was terminated; another request takes over. */
const WRITE_MS = 5000;
/** Longest time that one request writes for others: the platform terminates a request's work 30 s after its response. */
const TURN_MS = 10_000;
/** D1 allows 2 MB per parameter; rows have less than 2 KB each. */
const ROWS_AT_ONCE = 1000;

/**
 * Batches the writes of concurrent requests: while one request writes, others leave their rows to it. Each request awaits only promises
 * that it created itself, as workerd requires.
 */
export class GatheredWrites<Row> {
  private readonly waiting: Row[] = [];
  private writer: { startedAtMs: number; wroteAtMs: number } | null = null;
  private readonly clock: () => number;
  constructor(clock: () => number) {
    this.clock = clock;
  }

  /** @param write never throws. Resolves when the rows are written, or at once when another request will write this one. */
  async add(row: Row, write: (rows: Row[]) => Promise<void>): Promise<void> {
    this.waiting.push(row);
    const nowMs = this.clock();
    if (this.writer !== null) {
      const { startedAtMs, wroteAtMs } = this.writer;
      if (nowMs - wroteAtMs < WRITE_MS && nowMs - startedAtMs < TURN_MS) return;
    }
    const me = { startedAtMs: nowMs, wroteAtMs: nowMs };
    this.writer = me;
    while (this.waiting.length > 0 && this.writer === me) {
      me.wroteAtMs = this.clock();
      await write(this.waiting.splice(0, ROWS_AT_ONCE));
    }
    if (this.writer === me) this.writer = null;
  }
}

/** A write that takes longer than this belongs to a request that was cut off: somebody else goes on. */
const WRITE_MS = 5000;
/** After this long the next request takes over: the platform cuts off what a request does 30 s after its answer. */
const TURN_MS = 10_000;
/** D1 takes 2 MB in a parameter; what is gathered here has less than 2 KB each. */
const ROWS_AT_ONCE = 1000;

/**
 * Writes of many requests, gathered: while one request writes, others leave their rows to it. No request waits for another: each
 * awaits only what it has begun itself, as workerd wants it.
 */
export class GatheredWrites<Row> {
  private readonly waiting: Row[] = [];
  private writer: { startedAtMs: number; wroteAtMs: number } | null = null;
  private readonly clock: () => number;
  constructor(clock: () => number) {
    this.clock = clock;
  }

  /** @param write never throws. @returns when the rows are written, or at once when somebody else will write this one */
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

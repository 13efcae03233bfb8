import type { SourceLimits } from "./limits.ts";

/** Most a timer may fire before the clock shows its time. */
const CLOCK_TOLERANCE_MS = 10;

/**
 * The remaining time that one operation may wait for a server, over all its responses. Only time spent waiting for the server counts, not
 * the processing of its bytes.
 */
export class SourcePace {
  private waitedMs = 0;
  private received = 0;
  private readonly limits: Pick<SourceLimits, "graceMs" | "minBytesPerSecond">;
  private readonly deadlineMs: number;
  private readonly clock: () => number;

  /** @param deadlineMs for the whole operation at any throughput; Infinity = only the minimum throughput applies */
  constructor(
    limits: Pick<SourceLimits, "graceMs" | "minBytesPerSecond">,
    deadlineMs: number,
    clock: () => number = Date.now,
  ) {
    this.limits = limits;
    this.deadlineMs = deadlineMs;
    this.clock = clock;
  }

  /** 0 or less: the server has been too slow. */
  get remainingMs(): number {
    return Math.min(this.deadlineMs, this.throughputMs) - this.waitedMs;
  }

  /** The operation has reached its deadline although the throughput is sufficient. */
  get isOverDeadline(): boolean {
    return this.deadlineMs <= this.throughputMs && this.deadlineMs - this.waitedMs <= CLOCK_TOLERANCE_MS;
  }

  /** Time allowed for the bytes received so far. */
  private get throughputMs(): number {
    const { graceMs, minBytesPerSecond } = this.limits;
    return graceMs + (this.received / minBytesPerSecond) * 1000;
  }

  /** Adds the duration of `wait`, and the bytes it returns. */
  async during<T>(wait: () => Promise<T>, bytesOf: (result: T) => number = () => 0): Promise<T> {
    const startedAtMs = this.clock();
    try {
      const result = await wait();
      this.received += bytesOf(result);
      return result;
    } finally {
      this.waitedMs += this.clock() - startedAtMs;
    }
  }
}

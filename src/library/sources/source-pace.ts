import type { SourceLimits } from "./limits.ts";

/** Between a timer's end and the clock. */
const CLOCK_TOLERANCE_MS = 10;

/**
 * How long a server may still be waited for while it sends what one piece of work needs, over as many answers as that takes. Only time spent
 * waiting for the server counts, not what is done with its bytes in between.
 */
export class SourcePace {
  private waitedMs = 0;
  private received = 0;
  private readonly limits: Pick<SourceLimits, "graceMs" | "minBytesPerSecond">;
  private readonly deadlineMs: number;
  private readonly clock: () => number;

  /** @param deadlineMs for all of the work, however fast it goes; Infinity = its throughput alone decides */
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

  /** The work has taken its whole time, at a throughput that is enough. */
  get isOverDeadline(): boolean {
    return this.deadlineMs <= this.throughputMs && this.deadlineMs - this.waitedMs <= CLOCK_TOLERANCE_MS;
  }

  /** How long the bytes that have come may take. */
  private get throughputMs(): number {
    const { graceMs, minBytesPerSecond } = this.limits;
    return graceMs + (this.received / minBytesPerSecond) * 1000;
  }

  /** Counts the time that `wait` takes, and the bytes that it answers. */
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

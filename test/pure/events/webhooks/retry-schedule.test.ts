import { describe, expect, test } from "vitest";
import {
  MAX_RETRY_GAP_MS,
  nextAttemptAt,
  RETRY_DELAYS_MS,
  RETRY_WINDOW_MS,
  retryTable,
} from "../../../../src/events/webhooks/sender/retry-schedule.ts";
import { seededRandom } from "./random.ts";

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2026, 10, 20);
const failed = (tries: number, more: Partial<Parameters<typeof nextAttemptAt>[0]> = {}) =>
  nextAttemptAt({ tries, firstTriedAtMs: START_MS, nowMs: START_MS, retryAfterMs: null, random: 0.5, ...more });

interface Run {
  random: () => number;
  /** The duration of a try, and its delay. */
  lateMs?: () => number;
  retryAfterMs?: () => number | null;
}

/** The times of the tries of a delivery that always fails, epoch ms. */
function triesOf({ random, lateMs = () => 0, retryAfterMs = () => null }: Run): number[] {
  const times = [START_MS];
  for (;;) {
    const nowMs = times.at(-1)! + lateMs();
    const retry = { retryAfterMs: retryAfterMs(), random: random() };
    const nextMs = nextAttemptAt({ tries: times.length, firstTriedAtMs: START_MS, nowMs, ...retry });
    if (nextMs === null) return times;
    times.push(nextMs);
  }
}
const gapsOf = (times: number[]) => times.slice(1).map((at, index) => at - times[index]!);

describe("without jitter", () => {
  test("waits grow from seconds to hours", () => {
    const minutes = RETRY_DELAYS_MS.map((_, index) => (failed(index + 1)! - START_MS) / 60_000);
    expect(minutes.slice(0, 8)).toEqual([5 / 60, 0.5, 2, 10, 30, 120, 360, 630]);
    expect([...minutes].sort((a, b) => a - b)).toEqual(minutes);
  });

  test("the last try comes three days after the first, within an hour", () => {
    const last = triesOf({ random: () => 0.5 }).at(-1)! - START_MS;
    expect(last).toBeLessThanOrEqual(72 * HOUR_MS);
    expect(last).toBeGreaterThan(71 * HOUR_MS);
  });

  test("the table for the documentation matches the schedule", () => {
    const times = triesOf({ random: () => 0.5 });
    expect(retryTable().map(({ sinceFirstMs }) => START_MS + sinceFirstMs)).toEqual(times.slice(1));
    expect(retryTable().map(({ tryNumber }) => tryNumber)).toEqual(times.slice(1).map((_, index) => index + 2));
  });
});

describe("jitter", () => {
  test("changes a wait by a tenth at most", () => {
    expect(failed(2, { random: 0 })! - START_MS).toBe(27_000);
    expect(failed(2, { random: 1 })! - START_MS).toBe(33_000);
  });

  test("spreads a thousand deliveries that failed together, at every wait", () => {
    const random = seededRandom(1);
    const times = Array.from({ length: 1000 }, () => failed(RETRY_DELAYS_MS.length, { random: random() }));
    const perMinute = Map.groupBy(times, (at) => Math.floor(at! / 60_000));
    expect(Math.max(...[...perMinute.values()].map((group) => group.length))).toBeLessThan(40);
  });
});

describe("Retry-After", () => {
  test("makes a wait longer", () => expect(failed(1, { retryAfterMs: 60_000 })! - START_MS).toBe(60_000));
  test("never makes a wait shorter", () => expect(failed(4, { retryAfterMs: 1000 })! - START_MS).toBe(600_000));
  test("beyond 12 h is cut to 12 h", () =>
    expect(failed(1, { retryAfterMs: 1000 * HOUR_MS })! - START_MS).toBe(MAX_RETRY_GAP_MS));
  test("beyond the three days is cut to their end", () => {
    const nowMs = START_MS + 70 * HOUR_MS;
    expect(failed(5, { nowMs, retryAfterMs: 5 * HOUR_MS })).toBe(START_MS + RETRY_WINDOW_MS);
  });
});

describe("the end", () => {
  test("comes with the last try", () => {
    expect(failed(RETRY_DELAYS_MS.length)).not.toBeNull();
    expect(failed(RETRY_DELAYS_MS.length + 1)).toBeNull();
  });
  test("comes with the third day, after however few tries", () => {
    expect(failed(2, { nowMs: START_MS + RETRY_WINDOW_MS })).toBeNull();
    expect(failed(2, { nowMs: START_MS + RETRY_WINDOW_MS - 1000 })).toBeNull();
    expect(failed(2, { nowMs: START_MS + RETRY_WINDOW_MS - 60_000 })).not.toBeNull();
  });
});

test("for any outcomes, a try is 4.5 s to 12 h later and within three days, and the tries end", () => {
  for (let seed = 0; seed < 2000; seed++) {
    const random = seededRandom(seed);
    const lateMs = () => Math.floor(random() ** 4 * 20 * HOUR_MS);
    const retryAfterMs = () => (random() < 0.3 ? Math.floor(random() ** 3 * 50 * HOUR_MS) : null);
    const late: number[] = [];
    const times = triesOf({
      random,
      retryAfterMs,
      lateMs: () => {
        late.push(lateMs());
        return late.at(-1)!;
      },
    });
    const waits = gapsOf(times).map((gap, index) => gap - late[index]!);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(4500);
    expect(Math.max(...waits)).toBeLessThanOrEqual(MAX_RETRY_GAP_MS);
    expect(times.at(-1)! - START_MS).toBeLessThanOrEqual(RETRY_WINDOW_MS);
    expect(times.length).toBeLessThanOrEqual(RETRY_DELAYS_MS.length + 1);
  }
});

test("a server that is available again within three days gets the delivery, whenever it was unavailable", () => {
  for (let seed = 0; seed < 500; seed++) {
    const random = seededRandom(seed);
    const last = triesOf({ random }).at(-1)! - START_MS;
    expect(last).toBeGreaterThan(64 * HOUR_MS);
  }
});

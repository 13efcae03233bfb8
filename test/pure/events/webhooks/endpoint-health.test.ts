import { describe, expect, test } from "vitest";
import {
  admits,
  afterOutcome,
  disabledBecause,
  type EndpointHealth,
  isFailing,
  MAX_AT_ONCE,
  newHealth,
  nextProbeAtMs,
  PROBE_PAUSES_MS,
} from "../../../../src/events/webhooks/sender/endpoint-health.ts";
import { seededRandom } from "./random.ts";

const SECOND_MS = 1000;
const HOUR_MS = 3600 * SECOND_MS;
const DAY_MS = 24 * HOUR_MS;
const START_MS = Date.UTC(2026, 10, 20);

type Outcome = Parameters<typeof afterOutcome>[1];
const after = (health: EndpointHealth, ...outcomes: Partial<Outcome>[]) =>
  outcomes.reduce<EndpointHealth>(
    (before, outcome) => afterOutcome(before, { ok: false, gone: false, atMs: START_MS, random: 0.5, ...outcome }),
    health,
  );
const OK = { ok: true };
const FAILED = { ok: false };
const failing = () => after(newHealth(), FAILED, FAILED, FAILED);
const idle = (nowMs: number) => ({ nowMs, underWay: 0 });

describe("an active endpoint", () => {
  test("gets five attempts at once from the start", () => {
    expect(admits(newHealth(), idle(START_MS))).toBe(5);
    expect(admits(newHealth(), { nowMs: START_MS, underWay: 4 })).toBe(1);
    expect(admits(newHealth(), { nowMs: START_MS, underWay: 9 })).toBe(0);
    expect(nextProbeAtMs(newHealth())).toBeNull();
  });

  test("stays active after two failures, and after any number with successes in between", () => {
    const twice = after(newHealth(), FAILED, FAILED);
    expect(isFailing(twice)).toBe(false);
    expect(admits(twice, idle(START_MS))).toBe(5);
    const often = after(newHealth(), ...Array.from({ length: 90 }, (_, index) => (index % 3 === 2 ? OK : FAILED)));
    expect(isFailing(often)).toBe(false);
    expect(admits(often, idle(START_MS))).toBe(5);
  });
});

describe("a failing endpoint", () => {
  test("has failed three times in a row, and is failing since the first of them", () => {
    const health = after(newHealth(), { atMs: START_MS }, { atMs: START_MS + 5 }, { atMs: START_MS + 9 });
    expect(isFailing(health)).toBe(true);
    expect(health.failingSinceMs).toBe(START_MS);
  });

  test("gets nothing until the pause is over, and then one probe once no other attempt is under way", () => {
    const health = failing();
    expect(nextProbeAtMs(health)).toBe(START_MS + 5000);
    expect(admits(health, idle(START_MS + 4999))).toBe(0);
    expect(admits(health, idle(START_MS + 5000))).toBe(1);
    expect(admits(health, { nowMs: START_MS + 5000, underWay: 1 })).toBe(0);
  });

  test("is probed with growing pauses of up to ten minutes", () => {
    let health = failing();
    const pauses: number[] = [];
    for (let probe = 0, atMs = START_MS; probe < 9; probe++) {
      pauses.push(nextProbeAtMs(health)! - atMs);
      atMs = nextProbeAtMs(health)!;
      health = after(health, { atMs });
    }
    expect(pauses.map((ms) => ms / SECOND_MS)).toEqual([5, 10, 30, 60, 120, 300, 600, 600, 600]);
  });

  test("spreads its probes by a tenth", () => {
    const [soon, late] = [0, 1].map((random) => nextProbeAtMs(after(newHealth(), FAILED, FAILED, { random }))!);
    expect([soon! - START_MS, late! - START_MS]).toEqual([4500, 5500]);
  });

  test("does not count the attempts that were under way when it began to fail as probes", () => {
    const straggler = { startedAtMs: START_MS - 2000, atMs: START_MS + 8000 };
    expect(nextProbeAtMs(after(failing(), straggler, straggler, straggler))).toBe(START_MS + 5000);
    const probe = { startedAtMs: START_MS + 5000, atMs: START_MS + 8000 };
    expect(nextProbeAtMs(after(failing(), probe))).toBe(START_MS + 18_000);
  });

  test("is active after one success, with a growing window", () => {
    const opening = [failing()];
    for (let step = 0; step < 5; step++) opening.push(after(opening.at(-1)!, OK));
    expect(opening.map((health) => admits(health, idle(START_MS)))).toEqual([0, 1, 2, 4, 5, 5]);
    expect(opening[1]).toMatchObject({ failingSinceMs: null, failuresInARow: 0 });
  });

  test("that fails while its window grows starts with one again, and after three failures with short pauses", () => {
    const opened = after(failing(), OK, OK, OK);
    expect(admits(after(opened, FAILED), idle(START_MS))).toBe(1);
    const relapsed = after(opened, FAILED, FAILED, FAILED);
    expect(isFailing(relapsed)).toBe(true);
    expect(nextProbeAtMs(relapsed)).toBe(START_MS + 5000);
  });
});

describe("Retry-After", () => {
  test("pauses the whole endpoint, also while it is active", () => {
    const health = after(newHealth(), { retryAfterMs: 30_000 });
    expect(isFailing(health)).toBe(false);
    expect(nextProbeAtMs(health)).toBe(START_MS + 30_000);
    expect(admits(health, idle(START_MS + 29_999))).toBe(0);
    expect(admits(health, idle(START_MS + 30_000))).toBe(5);
  });

  test("extends the pause before a probe and never shortens it", () => {
    expect(nextProbeAtMs(after(newHealth(), FAILED, FAILED, { retryAfterMs: 60_000 }))).toBe(START_MS + 60_000);
    expect(nextProbeAtMs(after(newHealth(), FAILED, FAILED, { retryAfterMs: 1 }))).toBe(START_MS + 5000);
  });

  test("is not ended by a success that was under way, nor shortened by another failure", () => {
    const asked = after(newHealth(), { retryAfterMs: 60_000 });
    expect(nextProbeAtMs(after(asked, OK))).toBe(START_MS + 60_000);
    expect(nextProbeAtMs(after(asked, { retryAfterMs: 1000 }))).toBe(START_MS + 60_000);
  });

  test("beyond 12 h is cut to 12 h", () => {
    expect(nextProbeAtMs(after(newHealth(), { retryAfterMs: 9 * DAY_MS }))).toBe(START_MS + 12 * HOUR_MS);
  });
});

describe("an endpoint is disabled", () => {
  test("at once when it answers 410, and gets nothing more", () => {
    const health = after(newHealth(), { gone: true });
    expect(disabledBecause(health, START_MS)).toBe("gone");
    expect(admits(health, idle(START_MS + DAY_MS))).toBe(0);
    expect(disabledBecause(after(health, OK), START_MS)).toBe("gone"); // an attempt that was under way
  });

  test("after five days of failures only, and not earlier", () => {
    const hourly = Array.from({ length: 24 * 5 }, (_, hour) => ({ atMs: START_MS + hour * HOUR_MS }));
    const almost = after(newHealth(), ...hourly);
    expect(disabledBecause(almost, START_MS + 5 * DAY_MS - 1)).toBeNull();
    expect(disabledBecause(almost, START_MS + 5 * DAY_MS)).toBe("failing_for_five_days");
  });

  test("not when one success came in between", () => {
    const lastHour = START_MS + 4 * DAY_MS;
    const health = after(
      failing(),
      { ok: true, atMs: lastHour },
      ...[1, 2, 3, 4].map((hours) => ({ atMs: lastHour + hours * HOUR_MS })),
    );
    expect(disabledBecause(health, START_MS + 5 * DAY_MS)).toBeNull();
    expect(health.failingSinceMs).toBe(lastHour + HOUR_MS);
  });

  test("not by time alone, because it may have been repaired while nothing was sent", () => {
    expect(disabledBecause(failing(), START_MS + 6 * DAY_MS)).toBeNull();
    const triedAgain = after(failing(), { atMs: START_MS + 6 * DAY_MS });
    expect(disabledBecause(triedAgain, START_MS + 6 * DAY_MS)).toBe("failing_for_five_days");
  });
});

test("health can be stored as JSON", () => {
  const health = after(failing(), { retryAfterMs: 60_000, atMs: START_MS + 5000 });
  expect(JSON.parse(JSON.stringify(health))).toEqual(health);
});

/** Simulates a sender with unlimited deliveries and an endpoint whose responses `answers` gives for each time. */
function simulate(seed: number, untilMs: number, answers: (nowMs: number) => boolean) {
  const random = seededRandom(seed);
  let health = newHealth();
  const underWay: { startedAtMs: number; endMs: number; wasFailing: boolean }[] = [];
  const started: { atMs: number; wasFailing: boolean; beside: number; ok: boolean }[] = [];
  for (let nowMs = 0; nowMs < untilMs;) {
    const free = admits(health, { nowMs, underWay: underWay.length });
    for (let index = 0; index < free; index++) {
      const endMs = nowMs + 20 + Math.floor(random() * 400);
      const wasFailing = isFailing(health);
      started.push({ atMs: nowMs, wasFailing, beside: underWay.length, ok: answers(endMs) });
      underWay.push({ startedAtMs: nowMs, endMs, wasFailing });
    }
    underWay.sort((a, b) => a.endMs - b.endMs);
    const next = underWay.shift();
    if (next === undefined) {
      const wakeMs = nextProbeAtMs(health);
      if (wakeMs === null || wakeMs <= nowMs) throw new Error(`stuck at ${nowMs}: ${JSON.stringify(health)}`);
      nowMs = wakeMs;
      continue;
    }
    nowMs = next.endMs;
    const { startedAtMs } = next;
    health = afterOutcome(health, { ok: answers(nowMs), gone: false, atMs: nowMs, startedAtMs, random: random() });
  }
  return { started, health };
}

describe("over many random histories", () => {
  const HISTORIES = 60;

  test("at most six attempts are under way, a probe is always alone, and the sender never stalls", () => {
    for (let seed = 0; seed < HISTORIES; seed++) {
      const fate = seededRandom(1000 + seed);
      const phases = Array.from({ length: 200 }, () => fate() < 0.6);
      const { started } = simulate(seed, HOUR_MS, (nowMs) => phases[Math.floor(nowMs / 20_000)] ?? true);
      const crowded = started.filter(({ wasFailing, beside }) => beside >= (wasFailing ? 1 : MAX_AT_ONCE));
      expect(crowded).toEqual([]);
    }
  });

  test("a dead endpoint gets some twenty attempts in the first hour and six or seven in each hour after", () => {
    for (let seed = 0; seed < HISTORIES; seed++) {
      const { started } = simulate(seed, 24 * HOUR_MS, () => false);
      expect(started.filter(({ wasFailing }) => !wasFailing).length).toBeLessThanOrEqual(MAX_AT_ONCE + 2);
      expect(started.filter(({ atMs }) => atMs < HOUR_MS).length).toBeLessThanOrEqual(22);
      expect(started.filter(({ atMs }) => atMs >= HOUR_MS).length).toBeLessThanOrEqual((23 * 60) / 9 + 1);
    }
  });

  test("an endpoint that recovers has its full window within eleven minutes and a few responses", () => {
    for (let seed = 0; seed < HISTORIES; seed++) {
      const backMs = Math.floor(seededRandom(seed)() * 5 * HOUR_MS) + 10 * SECOND_MS;
      const { started, health } = simulate(seed, backMs + 11 * 60 * SECOND_MS + 5000, (nowMs) => nowMs >= backMs);
      expect(isFailing(health)).toBe(false);
      expect(health.window).toBe(MAX_AT_ONCE);
      expect(started.some(({ ok }) => ok)).toBe(true);
    }
  });

  test("no pause is longer than the last one with its jitter", () => {
    const longestMs = PROBE_PAUSES_MS.at(-1)! * 1.1 + 1000;
    const { started } = simulate(7, DAY_MS, () => false);
    const gaps = started.slice(1).map(({ atMs }, index) => atMs - started[index]!.atMs);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(longestMs);
  });
});

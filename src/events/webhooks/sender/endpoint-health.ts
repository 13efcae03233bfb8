import type { DisabledReason } from "../records/disabled-reasons.ts";

/**
 * The health of an endpoint, derived from the outcomes of its attempts only, and the number of attempts that it admits.
 *
 * `active`: several attempts at once. `failing`, after three consecutive failures: one probe at a time, with a pause before each. A probe
 * sends the delivery that has been due longest. If it fails, that delivery gets its own later time, so the next probe sends another one
 * and no single event blocks the rest. One success makes the endpoint active again, with a small window that grows. Times are epoch ms.
 */
export interface EndpointHealth {
  /** Consecutive failures since the last success. */
  failuresInARow: number;
  /** Times of the first and last of these failures; null = none. */
  failingSinceMs: number | null;
  lastFailureAtMs: number | null;
  /** Attempts at once while active. */
  window: number;
  /** While failing: the failed probes so far, and when the next one may start. */
  failedProbes: number;
  nextProbeAtMs: number | null;
  /** Until when the endpoint asked to wait (`Retry-After`). Also applies while it is active. */
  askedToWaitUntilMs: number | null;
  /** It answered 410. */
  gone: boolean;
}

export interface EndpointOutcome {
  ok: boolean;
  /** Answered 410. */
  gone: boolean;
  /** When the attempt ended. */
  atMs: number;
  /** When the attempt started; default: `atMs`. An attempt that started before the probe was due is not a probe. */
  startedAtMs?: number;
  /** `Retry-After` of a 429 or 503. */
  retryAfterMs?: number | null;
  /** 0 to 1. */
  random: number;
  /** Factor on the pauses; tests use less than 1. */
  scale?: number;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

const FAILURES_UNTIL_FAILING = 3;
/**
 * Attempts at once after a recovery: each success moves to the next value. A Worker may wait for six connections at once, and one of
 * them is for name resolution.
 */
const WINDOWS = [1, 2, 4, 5] as const;
export const MAX_AT_ONCE = WINDOWS[3];
/** Pauses before the probes of a failing endpoint. The last one repeats. */
export const PROBE_PAUSES_MS: readonly number[] = [
  5 * SECOND_MS,
  10 * SECOND_MS,
  30 * SECOND_MS,
  MINUTE_MS,
  2 * MINUTE_MS,
  5 * MINUTE_MS,
  10 * MINUTE_MS,
];
const PAUSE_JITTER = 0.1;
/** The longest pause that `Retry-After` can ask for. */
const MAX_ASKED_WAIT_MS = DAY_MS / 2;
export const DISABLED_AFTER_MS = 5 * DAY_MS;
/** Failures that ended longer ago are not evidence of the endpoint's current state. */
const STALE_AFTER_MS = DAY_MS;

export function newHealth(): EndpointHealth {
  return {
    failuresInARow: 0,
    failingSinceMs: null,
    lastFailureAtMs: null,
    window: MAX_AT_ONCE,
    failedProbes: 0,
    nextProbeAtMs: null,
    askedToWaitUntilMs: null,
    gone: false,
  };
}

export function isFailing(health: EndpointHealth): boolean {
  return health.failuresInARow >= FAILURES_UNTIL_FAILING;
}

export function afterOutcome(health: EndpointHealth, outcome: EndpointOutcome): EndpointHealth {
  return outcome.ok ? afterSuccess(health) : afterFailure(health, outcome);
}

/** How many more attempts may start now. */
export function admits(health: EndpointHealth, { nowMs, underWay }: { nowMs: number; underWay: number }): number {
  if (health.gone || nowMs < (nextProbeAtMs(health) ?? -Infinity)) return 0;
  return Math.max(0, (isFailing(health) ? 1 : health.window) - underWay);
}

/** No attempt may start before this time, because of a probe's pause or `Retry-After`; null = no restriction. */
export function nextProbeAtMs(health: EndpointHealth): number | null {
  const { nextProbeAtMs: probe, askedToWaitUntilMs: asked } = health;
  return probe === null || asked === null ? (probe ?? asked) : Math.max(probe, asked);
}

/**
 * Why the webhook must be disabled; null = it need not be. Time alone does not disable it: an endpoint that received nothing for days
 * may have been repaired in the meantime.
 */
export function disabledBecause(health: EndpointHealth, nowMs: number): DisabledReason | null {
  if (health.gone) return "gone";
  const { failingSinceMs: first, lastFailureAtMs: last } = health;
  if (!isFailing(health) || first === null || last === null) return null;
  return nowMs - first >= DISABLED_AFTER_MS && nowMs - last < STALE_AFTER_MS ? "failing_for_five_days" : null;
}

function afterSuccess(health: EndpointHealth): EndpointHealth {
  return {
    ...newHealth(),
    window: isFailing(health) ? WINDOWS[0] : widened(health.window),
    // The successful attempt may have started before another attempt was answered with `Retry-After`.
    askedToWaitUntilMs: health.askedToWaitUntilMs,
    gone: health.gone,
  };
}

const widened = (window: number) => WINDOWS.find((wider) => wider > window) ?? MAX_AT_ONCE;

function afterFailure(health: EndpointHealth, outcome: EndpointOutcome): EndpointHealth {
  const { atMs } = outcome;
  const failed: EndpointHealth = {
    ...health,
    failuresInARow: health.failuresInARow + 1,
    failingSinceMs: health.failingSinceMs ?? atMs,
    lastFailureAtMs: Math.max(health.lastFailureAtMs ?? atMs, atMs),
    window: health.window < MAX_AT_ONCE ? WINDOWS[0] : health.window,
    askedToWaitUntilMs: askedToWaitUntil(health, outcome),
    gone: health.gone || outcome.gone,
  };
  if (!isFailing(failed)) return failed;
  if (!isFailing(health)) return { ...failed, failedProbes: 0, nextProbeAtMs: pauseAfter(0, outcome) };
  const wasProbe = (outcome.startedAtMs ?? atMs) >= (health.nextProbeAtMs ?? -Infinity);
  if (!wasProbe) return failed;
  const failedProbes = health.failedProbes + 1;
  return { ...failed, failedProbes, nextProbeAtMs: pauseAfter(failedProbes, outcome) };
}

function pauseAfter(failedProbes: number, { atMs, random, scale = 1 }: EndpointOutcome): number {
  const pauseMs = PROBE_PAUSES_MS[Math.min(failedProbes, PROBE_PAUSES_MS.length - 1)]!;
  return atMs + Math.round(pauseMs * scale * (1 + PAUSE_JITTER * (2 * random - 1)));
}

function askedToWaitUntil(health: EndpointHealth, { atMs, retryAfterMs }: EndpointOutcome): number | null {
  const before = health.askedToWaitUntilMs;
  if (retryAfterMs == null) return before;
  return Math.max(before ?? 0, atMs + Math.min(retryAfterMs, MAX_ASKED_WAIT_MS));
}

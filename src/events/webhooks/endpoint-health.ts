/**
 * How an endpoint is doing, judged by the outcomes of its attempts alone, and how many more it may get.
 *
 * `active`: several at once. `failing`, after three failures in a row: one probe at a time with a pause before each. A
 * probe takes the delivery that is due for longest; when it fails, that delivery gets a later time of its own, so the next
 * probe carries another one and no single event can hold the others up. One success makes the endpoint active again,
 * opening gently. All times are epoch ms.
 */
export interface EndpointHealth {
  /** Since the last success. */
  failuresInARow: number;
  /** The first and the last of them; null when there are none. */
  failingSinceMs: number | null;
  lastFailureAtMs: number | null;
  /** How many attempts at once while active. */
  window: number;
  /** While failing: how many probes have failed, and when the next may start. */
  failedProbes: number;
  nextProbeAtMs: number | null;
  /** Until when the endpoint asked to be left alone (`Retry-After`); holds while active too. */
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
  /** When it began; without it, when it ended. Attempts that were under way as the endpoint began to fail are no probes. */
  startedAtMs?: number;
  /** `Retry-After` of a 429 or 503. */
  retryAfterMs?: number | null;
  /** 0 to 1. */
  random: number;
  /** Shrinks or stretches the pauses; 1 unless a test is in a hurry. */
  scale?: number;
}

export type DisabledReason = "gone" | "failing_for_five_days";

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

const FAILURES_UNTIL_FAILING = 3;
/**
 * Attempts at once after a recovery, step by step with each success; the last is the full number. A Worker may wait for six
 * connections at once: one is left for the look-up of names.
 */
const WINDOWS = [1, 2, 4, 5] as const;
export const MAX_AT_ONCE = WINDOWS[3];
/** Pauses before the probes of a failing endpoint; the last one repeats. */
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
/** The longest that `Retry-After` can hold an endpoint's deliveries back. */
const MAX_ASKED_WAIT_MS = DAY_MS / 2;
export const DISABLED_AFTER_MS = 5 * DAY_MS;
/** A row of failures that ended longer ago says nothing of the endpoint as it is now. */
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

/** Before this time nothing may start, whether the endpoint is probed or asked to be left alone; null = no such time. */
export function nextProbeAtMs(health: EndpointHealth): number | null {
  const { nextProbeAtMs: probe, askedToWaitUntilMs: asked } = health;
  return probe === null || asked === null ? (probe ?? asked) : Math.max(probe, asked);
}

/**
 * Why the webhook is to be disabled; null = it is not. Time alone does not disable: an endpoint with nothing to receive
 * for days may have been repaired in the meantime.
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
    // A success that was under way as another attempt was asked to wait does not lift that.
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

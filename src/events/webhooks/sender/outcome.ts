import type { AttemptOutcome } from "../attempt.ts";
import { DELIVERY_FAILURES } from "../failures.ts";
import { nextAttemptAt } from "../retry-schedule.ts";
import type { DueDelivery } from "./due.ts";
import type { Begun } from "./ledger.ts";

/** How an attempt ended and what follows from it. Decided once and kept: writing it twice changes nothing. */
export interface Settled {
  eventId: string;
  eventType: string;
  number: number;
  startedAtMs: number;
  durationMs: number;
  status: number | null; // HTTP
  failure: string | null;
  detail: string | null;
  responseHead: string;
  next: "delivered" | "pending" | "failed";
  tries: number;
  firstTriedAtMs: number;
  nextAttemptAtMs: number | null;
  endedAtMs: number;
  /** Of `webhook.delivery.exhausted`, when this was the last attempt of all. */
  exhaustedEventId: string | null;
}

/** Pure but for the new event's id. @param random 0 to 1 */
export function settle(
  due: DueDelivery,
  begun: Begun,
  outcome: AttemptOutcome,
  endedAtMs: number,
  { random, scale }: { random: number; scale: number },
): Settled {
  const firstTriedAtMs = due.firstTriedAtMs ?? begun.startedAtMs;
  const isFinal = outcome.failure === null || !DELIVERY_FAILURES[outcome.failure].retryable;
  const again = isFinal
    ? null
    : nextAttemptAt({
        tries: begun.tries,
        firstTriedAtMs,
        nowMs: endedAtMs,
        retryAfterMs: outcome.retryAfterMs,
        random,
        scale,
      });
  const isExhausted = !isFinal && again === null; // of an endpoint that is gone `webhook.disabled` tells
  const { status, failure, detail, responseHead } = outcome;
  return {
    eventId: due.eventId,
    eventType: due.type,
    number: begun.number,
    startedAtMs: begun.startedAtMs,
    durationMs: Math.max(0, endedAtMs - begun.startedAtMs), // with signing: start and duration together say when it ended
    status,
    failure,
    detail,
    responseHead,
    next: failure === null ? "delivered" : again === null ? "failed" : "pending",
    tries: begun.tries,
    firstTriedAtMs,
    nextAttemptAtMs: again,
    endedAtMs,
    exhaustedEventId: isExhausted ? crypto.randomUUID() : null,
  };
}

/** An attempt that a restart of ours has cut off: whether it arrived is not known, so it is made again at once. */
export const interrupted = (
  begun: Begun,
  eventType: string,
  firstTriedAtMs: number | null,
  nowMs: number,
): Settled => ({
  eventId: begun.eventId,
  eventType,
  number: begun.number,
  startedAtMs: begun.startedAtMs,
  durationMs: Math.max(0, nowMs - begun.startedAtMs),
  status: null,
  failure: "interrupted",
  detail: null,
  responseHead: "",
  next: "pending",
  tries: begun.tries - 1, // our fault: it does not count
  firstTriedAtMs: firstTriedAtMs ?? begun.startedAtMs,
  nextAttemptAtMs: nowMs,
  endedAtMs: nowMs,
  exhaustedEventId: null,
});

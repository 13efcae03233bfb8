import type { AttemptOutcome } from "../attempt/outcome.ts";
import { DELIVERY_FAILURES } from "../records/failures.ts";
import { nextAttemptAt } from "./retry-schedule.ts";
import type { DueDelivery } from "../fan-out/due-delivery.ts";
import type { StartedAttempt } from "./attempt-journal.ts";

/** The outcome of an attempt and what follows from it. It is decided once, so that writing it twice changes nothing. */
export interface SettledAttempt {
  eventId: string;
  eventType: string;
  number: number;
  /** The schedule of the attempt. The outcome decides the delivery's state only if the delivery still has this schedule. */
  schedule: number;
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
  /** Id for `webhook.delivery.exhausted`; null unless this was the last attempt. */
  exhaustedEventId: string | null;
}

/** Pure, except that it creates the id of an event. @param random 0 to 1 */
export function settle(
  due: DueDelivery,
  attempt: StartedAttempt,
  outcome: AttemptOutcome,
  endedAtMs: number,
  { random, scale }: { random: number; scale: number },
): SettledAttempt {
  const firstTriedAtMs = due.firstTriedAtMs ?? attempt.startedAtMs;
  const isFinal = outcome.failure === null || !DELIVERY_FAILURES[outcome.failure].retryable;
  const retryAtMs = isFinal
    ? null
    : nextAttemptAt({
        tries: attempt.tries,
        firstTriedAtMs,
        nowMs: endedAtMs,
        retryAfterMs: outcome.retryAfterMs,
        random,
        scale,
      });
  const isExhausted = !isFinal && retryAtMs === null; // an endpoint that is gone gets `webhook.disabled` instead
  const { status, failure, detail, responseHead } = outcome;
  return {
    eventId: due.eventId,
    eventType: due.type,
    number: attempt.number,
    schedule: attempt.schedule,
    startedAtMs: attempt.startedAtMs,
    durationMs: Math.max(0, endedAtMs - attempt.startedAtMs), // includes signing, so that start plus duration is the end
    status,
    failure,
    detail,
    responseHead,
    next: failure === null ? "delivered" : retryAtMs === null ? "failed" : "pending",
    tries: attempt.tries,
    firstTriedAtMs,
    nextAttemptAtMs: retryAtMs,
    endedAtMs,
    exhaustedEventId: isExhausted ? crypto.randomUUID() : null,
  };
}

/** An attempt that a restart of the service interrupted. It is unknown whether the request arrived, so it is made again at once. */
export const interrupted = (
  attempt: StartedAttempt,
  eventType: string,
  firstTriedAtMs: number | null,
  nowMs: number,
): SettledAttempt => ({
  eventId: attempt.eventId,
  eventType,
  number: attempt.number,
  schedule: attempt.schedule,
  startedAtMs: attempt.startedAtMs,
  durationMs: Math.max(0, nowMs - attempt.startedAtMs),
  status: null,
  failure: "interrupted",
  detail: null,
  responseHead: "",
  next: "pending",
  tries: attempt.tries - 1, // our fault, so it does not count as a try
  firstTriedAtMs: firstTriedAtMs ?? attempt.startedAtMs,
  nextAttemptAtMs: nowMs,
  endedAtMs: nowMs,
  exhaustedEventId: null,
});

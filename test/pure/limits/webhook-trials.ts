/** Limits of webhook receivers, and the number of tries. */
import { readResponseBody } from "../../../src/events/webhooks/attempt/response-body.ts";
import { ATTEMPT_LIMITS } from "../../../src/events/webhooks/attempt/attempt.ts";
import {
  admits,
  afterOutcome,
  disabledBecause,
  isFailing,
  newHealth,
} from "../../../src/events/webhooks/sender/endpoint-health.ts";
import { delaySecondsUntil } from "../../../src/events/webhooks/fan-out/delivery-messages.ts";
import { nextAttemptAt, RETRY_DELAYS_MS } from "../../../src/events/webhooks/sender/retry-schedule.ts";
import { TAKEN, until, upTo } from "../../support/limits/trials.ts";

const TRY = { tries: 1, firstTriedAtMs: 0, nowMs: 0, retryAfterMs: null, random: 0.5 };
const FAILURE = { ok: false, gone: false, atMs: 0, random: 0.5 };
const answerOf = (bytes: number) => readResponseBody(new Response("a".repeat(bytes)), ATTEMPT_LIMITS.responseBytes);

export const WEBHOOK_TRIALS = {
  "webhook-answer": upTo(async (bytes) => ((await answerOf(bytes)).ending === "whole" ? TAKEN : "answer_too_long")),
  "webhook-answer-kept": upTo(async (bytes) => ((await answerOf(bytes)).head.length === bytes ? TAKEN : "cut")),
  "webhook-tries": upTo((tries) => (nextAttemptAt({ ...TRY, tries: tries - 1 }) === null ? "failed" : TAKEN)),
  "webhook-retry-window": (bound: number) => {
    const tries = RETRY_DELAYS_MS.length;
    const atBound = nextAttemptAt({ ...TRY, tries, nowMs: bound - RETRY_DELAYS_MS[0]! });
    const above = nextAttemptAt({ ...TRY, tries, nowMs: bound });
    return { atBound: atBound === bound ? TAKEN : String(atBound), above: above === null ? "failed" : String(above) };
  },
  "webhook-retry-after": upTo((ms) => (nextAttemptAt({ ...TRY, retryAfterMs: ms }) === ms ? TAKEN : "cut")),
  "webhook-message-delay": upTo((ms) => (delaySecondsUntil(ms, 0) * 1000 === ms ? TAKEN : "alarm")),
  "webhook-pause-asked": upTo((ms) =>
    afterOutcome(newHealth(), { ...FAILURE, retryAfterMs: ms }).askedToWaitUntilMs === ms ? TAKEN : "cut",
  ),
  "webhook-at-once": upTo((attempts) =>
    admits(newHealth(), { nowMs: 0, underWay: attempts - 1 }) > 0 ? TAKEN : "waits",
  ),
  "webhook-failures-in-a-row": until((failures) => {
    let health = newHealth();
    for (let n = 0; n < failures; n++) health = afterOutcome(health, FAILURE);
    return isFailing(health) ? "failing" : TAKEN;
  }),
  "webhook-failing": until((ms) => {
    const health = { ...newHealth(), failuresInARow: 99, failingSinceMs: 0, lastFailureAtMs: ms };
    return disabledBecause(health, ms) === null ? TAKEN : "disabled";
  }),
};

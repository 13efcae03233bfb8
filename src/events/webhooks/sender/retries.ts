import { type DelayedMessage, delaySecondsUntil } from "../fan-out/delivery-messages.ts";
import type { SettledAttempt } from "./settled-attempt.ts";

/**
 * The queue delays by whole seconds, so the alarm makes retries that are due sooner. They occur only with a `WEBHOOK_RETRY_SCALE` below 1.
 */
const MIN_QUEUED_WAIT_MS = 1000;
/**
 * The alarm makes a retry this long after it was due, in case its message was lost. It allows for rounding up to a second and for a busy
 * queue, and is scaled like the retry schedule.
 */
const LOST_MESSAGE_AFTER_MS = 15_000;
const MIN_LOST_MESSAGE_AFTER_MS = 2000;

/** One delayed message for each failed attempt whose next attempt the queue triggers. */
export function retryMessages(webhookId: string, settled: SettledAttempt[], nowMs: number): DelayedMessage[] {
  return settled.flatMap(({ eventId, next, nextAttemptAtMs }) => {
    const isQueued = next === "pending" && nextAttemptAtMs !== null && isTriggeredByQueue(nextAttemptAtMs, nowMs);
    return isQueued
      ? [{ eventId, webhookIds: [webhookId], delaySeconds: delaySecondsUntil(nextAttemptAtMs, nowMs) }]
      : [];
  });
}

/**
 * When the sender's alarm makes the next attempt, epoch ms. If a queue message triggers the attempt too, the alarm is later, so that the
 * message arrives first. Otherwise it is when the attempt is due.
 *
 * @param scale of the retry schedule
 */
export function alarmAtMs(dueAtMs: number, nowMs: number, scale: number): number {
  if (!isTriggeredByQueue(dueAtMs, nowMs)) return dueAtMs;
  return dueAtMs + Math.max(LOST_MESSAGE_AFTER_MS * scale, MIN_LOST_MESSAGE_AFTER_MS);
}

const isTriggeredByQueue = (dueAtMs: number, nowMs: number) => dueAtMs - nowMs >= MIN_QUEUED_WAIT_MS;

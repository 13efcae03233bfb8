import { type DelayedMessage, delaySecondsUntil } from "../delivery-messages.ts";
import type { SettledAttempt } from "./outcome.ts";

/** The queue delays by whole seconds, so the alarm makes retries that are due sooner. They occur only with a `WEBHOOK_RETRY_SCALE` below 1. */
const MIN_QUEUED_WAIT_MS = 1000;
/** How long after a retry is due the alarm makes it, in case its message was lost. Long enough for rounding up to a second and for a busy queue. Scaled like the retry schedule. */
const LOST_MESSAGE_AFTER_MS = 15_000;
const MIN_LOST_MESSAGE_AFTER_MS = 2000;

/** One delayed message for each failed attempt whose next attempt the queue triggers. */
export function retryMessages(webhookId: string, settled: SettledAttempt[], nowMs: number): DelayedMessage[] {
  return settled.flatMap(({ eventId, next, nextAttemptAtMs }) => {
    const isQueued = next === "pending" && nextAttemptAtMs !== null && isCarriedByQueue(nextAttemptAtMs, nowMs);
    return isQueued
      ? [{ eventId, webhookIds: [webhookId], delaySeconds: delaySecondsUntil(nextAttemptAtMs, nowMs) }]
      : [];
  });
}

/**
 * When the sender's alarm makes the next due attempt, epoch ms: when it is due if no queue message carries it; otherwise later, so that the message arrives first.
 *
 * @param scale of the retry schedule
 */
export function alarmAtMs(dueAtMs: number, nowMs: number, scale: number): number {
  if (!isCarriedByQueue(dueAtMs, nowMs)) return dueAtMs;
  return dueAtMs + Math.max(LOST_MESSAGE_AFTER_MS * scale, MIN_LOST_MESSAGE_AFTER_MS);
}

const isCarriedByQueue = (dueAtMs: number, nowMs: number) => dueAtMs - nowMs >= MIN_QUEUED_WAIT_MS;

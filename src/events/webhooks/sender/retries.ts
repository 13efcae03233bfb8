import { type DelayedMessage, delaySecondsUntil } from "../delivery-messages.ts";
import type { SettledAttempt } from "./outcome.ts";

/** The queue counts whole seconds: shorter waits are left to the alarm. They occur only with a `WEBHOOK_RETRY_SCALE` below 1. */
const MIN_QUEUED_WAIT_MS = 1000;
/** How much later than its message a retry is made by the alarm. A message rounded up to a second and a busy queue arrive before that. */
const LOST_MESSAGE_AFTER_MS = 15_000;
const MIN_LOST_MESSAGE_AFTER_MS = 2000;

/** The delayed messages that carry the next tries of failed attempts: one for each. */
export function retryMessages(webhookId: string, settled: SettledAttempt[], nowMs: number): DelayedMessage[] {
  return settled.flatMap(({ eventId, next, nextAttemptAtMs }) => {
    const isQueued = next === "pending" && nextAttemptAtMs !== null && isCarriedByQueue(nextAttemptAtMs, nowMs);
    return isQueued
      ? [{ eventId, webhookIds: [webhookId], delaySeconds: delaySecondsUntil(nextAttemptAtMs, nowMs) }]
      : [];
  });
}

/**
 * When the sender's alarm looks for the next due delivery, epoch ms: at once when no message is on its way to it, else late enough
 * for the message to come first.
 *
 * @param scale of the retry schedule
 */
export function alarmAtMs(dueAtMs: number, nowMs: number, scale: number): number {
  if (!isCarriedByQueue(dueAtMs, nowMs)) return dueAtMs;
  return dueAtMs + Math.max(LOST_MESSAGE_AFTER_MS * scale, MIN_LOST_MESSAGE_AFTER_MS);
}

const isCarriedByQueue = (dueAtMs: number, nowMs: number) => dueAtMs - nowMs >= MIN_QUEUED_WAIT_MS;

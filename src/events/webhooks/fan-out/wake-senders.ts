import type { Env } from "../../../platform/env.ts";
import { kindOf, type NewEvent } from "../../index.ts";
import { wakeSenderUnlessPending } from "./call-sender.ts";
import { enqueueDeliveries } from "./delivery-messages.ts";
import type { DueDelivery } from "./due-delivery.ts";
import type { FannedOut } from "./fan-out.ts";

/** An inserted event with its pending deliveries. */
export interface FannedOutEvent {
  event: NewEvent;
  body: string;
  due: FannedOut[];
}

const ENQUEUE_AFTER_MS = 50;
/** After a larger commit, the senders read the deliveries from D1 instead of getting them with the call. */
const MAX_EVENTS_IN_CALL = 10;

/** Wakes the senders of these deliveries directly, and again through the queue, whose messages survive this process. Never throws. */
export async function wakeSenders(env: Env, events: FannedOutEvent[]): Promise<void> {
  if (events.length === 0) return;
  const isInCall = events.length <= MAX_EVENTS_IN_CALL;
  const calls = [...dueByWebhook(events)].map(([webhookId, due]) =>
    wakeSenderUnlessPending(env, webhookId, isInCall ? due : []),
  );
  // The senders go first: sending to the queue takes CPU time of this isolate and would delay the first attempt.
  await Promise.race([Promise.all(calls), new Promise((done) => setTimeout(done, ENQUEUE_AFTER_MS))]);
  const messages = events.map(({ event, due }) => ({
    eventId: event.id,
    webhookIds: due.map(({ webhookId }) => webhookId),
    delaySeconds: 0,
  }));
  await Promise.all([...calls, enqueueDeliveries(env, messages)]);
}

function dueByWebhook(events: FannedOutEvent[]): Map<string, DueDelivery[]> {
  const byWebhook = new Map<string, DueDelivery[]>();
  for (const { event, body, due } of events)
    for (const { webhookId, naming, createdAtMs } of due) {
      const { type, videoType } = kindOf(event.type);
      const fresh = { attempts: 0, schedule: 0, tries: 0, firstTriedAtMs: null, nextAttemptAtMs: createdAtMs };
      byWebhook.set(webhookId, [
        ...(byWebhook.get(webhookId) ?? []),
        { eventId: event.id, type, videoType, body, sealedData: event.sealedData ?? null, naming, ...fresh },
      ]);
    }
  return byWebhook;
}

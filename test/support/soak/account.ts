import type { SeenRequest } from "./receiver.ts";
import type { SoakWebhook } from "./soak.ts";
import type { StoredAttempt, StoredDelivery, StoredSoak } from "./stored.ts";

/** One webhook with its rows in D1 and its receiver's log, by event. */
export interface Account {
  name: string;
  webhook: SoakWebhook;
  deliveries: Map<string, StoredDelivery>;
  attempts: Map<string, StoredAttempt[]>; // by number
  requests: Map<string, SeenRequest[]>; // in order of arrival
}

export const accountsOf = (webhooks: SoakWebhook[], stored: StoredSoak): Account[] =>
  webhooks.map((webhook, index) => {
    const isIts = ({ webhookId }: { webhookId: string }) => webhookId === webhook.id;
    return {
      name: `webhook ${index}`,
      webhook,
      deliveries: new Map(stored.deliveries.filter(isIts).map((delivery) => [delivery.eventId, delivery])),
      attempts: Map.groupBy(stored.attempts.filter(isIts), ({ eventId }) => eventId),
      requests: Map.groupBy(webhook.receiver.seen, ({ headers }) => headers["webhook-id"] ?? ""),
    };
  });

/** It was answered with 200, in full. */
export const isTaken = ({ conduct, ending }: SeenRequest) =>
  (conduct === "ok" || conduct === "slow") && ending === "answered";

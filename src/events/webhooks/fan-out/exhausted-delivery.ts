import { toTimestamp } from "../../../platform/timestamp.ts";
import { DELIVERY_FAILURES, type DeliveryFailure } from "../records/failures.ts";
import type { Announcement } from "./commit-with-events.ts";

/** A delivery that has failed after its last try. */
export interface ExhaustedDelivery {
  /** Id of the event that announces it. */
  id: string;
  atMs: number;
  eventId: string;
  eventType: string;
  attempts: number;
  lastFailure: string;
  /** HTTP status of the last response; null = no response. */
  lastStatus: number | null;
  /** Null = never attempted. */
  firstAttemptAtMs: number | null;
  lastAttemptAtMs: number | null;
}

/**
 * The `webhook.delivery.exhausted` event, which goes to the workspace's other webhooks. Events about webhooks produce no further events;
 * otherwise two failing endpoints would notify each other forever.
 */
export function announceExhausted(
  { webhookId, workspaceId, url }: { webhookId: string; workspaceId: string; url: string },
  delivery: ExhaustedDelivery,
): Announcement[] {
  const { id, atMs, eventId, eventType, attempts, lastFailure, lastStatus } = delivery;
  if (eventType.startsWith("webhook.")) return [];
  const message = DELIVERY_FAILURES[lastFailure as DeliveryFailure]?.message ?? "";
  const data = {
    webhookId,
    url,
    eventId,
    eventType,
    attempts,
    lastFailure: { reason: lastFailure, message, status: lastStatus },
    firstAttemptAt: timestampOf(delivery.firstAttemptAtMs),
    lastAttemptAt: timestampOf(delivery.lastAttemptAtMs),
  };
  const type = "webhook.delivery.exhausted";
  const event = { id, workspaceId, type, objectId: webhookId, occurredAtMs: atMs, data };
  return [{ event, exceptWebhookId: webhookId }];
}

const timestampOf = (ms: number | null) => (ms === null ? null : toTimestamp(new Date(ms)));

import type { z } from "@hono/zod-openapi";
import { ALL_TYPES, CATALOGUE, resolveTypes } from "../../index.ts";
import { recordOf } from "../../../platform/http/record.ts";
import { toTimestamp } from "../../../platform/timestamp.ts";
import { DISABLED_MESSAGES } from "../records/disabled-reasons.ts";
import { toFailure } from "../records/failure-record.ts";
import type { Webhook } from "./repository.ts";
import type { WebhookRecord } from "./schemas.ts";

const timestampOf = (time: Date | null) => time && toTimestamp(time);

/** The webhook as the API returns it, without its secrets. @param now determines whether a rotated secret still signs */
export function toWebhook(webhook: Webhook, now: Date): z.infer<typeof WebhookRecord> {
  const { disabledReason, previousSecret, previousSecretUntil: until } = webhook;
  return recordOf<z.infer<typeof WebhookRecord>>({
    id: webhook.id,
    url: webhook.url,
    description: webhook.description,
    eventTypes: webhook.eventTypes.length === 0 ? [...ALL_TYPES] : webhook.eventTypes,
    eventTypesNotSent: notSent(webhook.eventTypes),
    naming: webhook.naming,
    events: { secrets: webhook.eventSecrets },
    enabled: webhook.enabled && disabledReason === null,
    status: statusOf(webhook),
    failingSince: timestampOf(webhook.failingSince),
    disabledReason: disabledReason && { code: disabledReason, message: DISABLED_MESSAGES[disabledReason] },
    disabledAt: timestampOf(webhook.disabledAt),
    lastDelivery: webhook.lastAttemptAt && {
      at: toTimestamp(webhook.lastAttemptAt),
      status: webhook.lastStatus,
      failure: toFailure(webhook.lastFailure),
    },
    previousSecretUntil: previousSecret !== null && until !== null && until > now ? toTimestamp(until) : null,
    createdAt: toTimestamp(webhook.createdAt),
    updatedAt: toTimestamp(webhook.updatedAt),
  });
}

/** Patterns that match only kinds that this release does not send; null = none. */
function notSent(patterns: readonly string[]): string[] | null {
  const found = patterns.filter((pattern) => !resolveTypes(pattern).some((type) => CATALOGUE[type].isSent));
  return found.length === 0 ? null : found;
}

/** `disabled` takes precedence over `paused`, because the owner may be unaware of it. */
function statusOf({ enabled, disabledReason, failingSince }: Webhook): z.infer<typeof WebhookRecord>["status"] {
  if (disabledReason !== null) return "disabled";
  if (!enabled) return "paused";
  return failingSince === null ? "active" : "failing";
}

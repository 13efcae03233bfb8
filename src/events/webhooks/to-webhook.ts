import type { z } from "@hono/zod-openapi";
import { CATALOGUE, nameIn, resolveTypes } from "../index.ts";
import { withoutUnset } from "../../platform/http/record.ts";
import { toTimestamp } from "../../platform/timestamp.ts";
import { DELIVERY_FAILURES, type DeliveryFailure } from "./failures.ts";
import type { AttemptRow, DeliveryRow, Webhook } from "./repository.ts";
import type { AttemptRecord, DeliveryRecord, WebhookRecord } from "./schemas.ts";
import { DISABLED_BECAUSE } from "./sender/record.ts";

const timestampOf = (time: Date | null) => time && toTimestamp(time);

/** The webhook as the API returns it, without its secrets. @param now decides whether a rotation still overlaps */
export function toWebhook(webhook: Webhook, now: Date): z.infer<typeof WebhookRecord> {
  const { disabledReason, previousSecret, previousSecretUntil: until } = webhook;
  return withoutUnset({
    id: webhook.id,
    url: webhook.url,
    description: webhook.description,
    eventTypes: webhook.eventTypes,
    eventTypesNotSent: notSent(webhook.eventTypes),
    naming: webhook.naming,
    events: { secrets: webhook.eventSecrets },
    enabled: webhook.enabled,
    status: statusOf(webhook),
    failingSince: timestampOf(webhook.failingSince),
    disabledReason: disabledReason && { code: disabledReason, message: DISABLED_BECAUSE[disabledReason] },
    disabledAt: timestampOf(webhook.disabledAt),
    lastDelivery: webhook.lastAttemptAt && {
      at: toTimestamp(webhook.lastAttemptAt),
      status: webhook.lastStatus,
      failure: failureOf(webhook.lastFailure),
    },
    previousSecretUntil: previousSecret !== null && until !== null && until > now ? toTimestamp(until) : null,
    createdAt: toTimestamp(webhook.createdAt),
    updatedAt: toTimestamp(webhook.updatedAt),
  });
}

/** Patterns that stand only for kinds that this release does not send; null = there are none. */
function notSent(patterns: readonly string[]): string[] | null {
  const found = patterns.filter((pattern) => !resolveTypes(pattern).some((type) => CATALOGUE[type].isSent));
  return found.length === 0 ? null : found;
}

/** `disabled` takes precedence over `paused`, because the owner may not know of it. */
function statusOf({ enabled, disabledReason, failingSince }: Webhook): z.infer<typeof WebhookRecord>["status"] {
  if (disabledReason !== null) return "disabled";
  if (!enabled) return "paused";
  return failingSince === null ? "active" : "failing";
}

export function toAttempt(row: Omit<AttemptRow, "eventId" | "webhookId">): z.infer<typeof AttemptRecord> {
  return {
    number: row.number,
    at: toTimestamp(row.startedAt),
    durationMs: row.durationMs,
    status: row.status,
    failure: failureOf(row.failure, row.detail),
    responseHead: row.responseHead,
  };
}

/** @param attempts of this delivery, oldest first */
export function toDelivery(row: DeliveryRow, attempts: AttemptRow[]): z.infer<typeof DeliveryRecord> {
  return withoutUnset({
    eventId: row.eventId,
    type: nameIn(row.naming, row.type),
    isTest: row.isTest,
    status: row.status,
    failure: row.status === "delivered" ? null : failureOf(row.lastFailure),
    attempts: attempts.map(toAttempt),
    nextAttemptAt: timestampOf(row.nextAttemptAt),
    createdAt: toTimestamp(row.createdAt),
    finishedAt: timestampOf(row.finishedAt),
  });
}

/** A code that an earlier release stored may have no message any more. */
function failureOf(code: string | null, detail: string | null = null) {
  if (code === null) return null;
  const message = DELIVERY_FAILURES[code as DeliveryFailure]?.message ?? code;
  return { code: code as DeliveryFailure, message, ...(detail === null ? {} : { detail }) };
}

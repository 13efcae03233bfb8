import type { z } from "@hono/zod-openapi";
import { CATALOGUE, nameIn, resolveTypes } from "../index.ts";
import { withoutUnset } from "../../platform/http/record.ts";
import { toTimestamp } from "../../platform/timestamp.ts";
import { DELIVERY_FAILURES, type DeliveryFailure } from "./failures.ts";
import type { AttemptRow, DeliveryRow, Webhook } from "./repository.ts";
import type { AttemptRecord, DeliveryRecord, WebhookRecord } from "./schemas.ts";
import { DISABLED_BECAUSE } from "./sender/record.ts";

const timestampOf = (time: Date | null) => time && toTimestamp(time);

/** What the owner sees of a webhook: never its secrets. @param now decides whether a rotation still overlaps */
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

/** Disabling comes first: its reason is news to the owner, their own wish is not. */
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

/** @param attempts of this delivery, in their order */
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

/** A code is in the catalogue, or was in an earlier one: then the code itself has to do as words. */
function failureOf(code: string | null, detail: string | null = null) {
  if (code === null) return null;
  const message = DELIVERY_FAILURES[code as DeliveryFailure]?.message ?? code;
  return { code: code as DeliveryFailure, message, ...(detail === null ? {} : { detail }) };
}

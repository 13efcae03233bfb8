import type { z } from "@hono/zod-openapi";
import { recordOf } from "../../../platform/http/record.ts";
import { toTimestamp } from "../../../platform/timestamp.ts";
import { nameIn } from "../../index.ts";
import { toFailure } from "../records/failure-record.ts";
import type { AttemptRow, DeliveryRow } from "./repository.ts";
import type { AttemptRecord, DeliveryRecord, TestResult } from "./schemas.ts";
import type { WebhookTest } from "./test-webhook.ts";

function toAttempt(row: Omit<AttemptRow, "eventId" | "webhookId">): z.infer<typeof AttemptRecord> {
  return {
    number: row.number,
    at: toTimestamp(row.startedAt),
    durationMs: row.durationMs,
    status: row.status,
    failure: toFailure(row.failure, row.detail),
    responseHead: row.responseHead,
  };
}

/** @param attempts of this delivery, oldest first */
export function toDelivery(row: DeliveryRow, attempts: AttemptRow[]): z.infer<typeof DeliveryRecord> {
  return recordOf<z.infer<typeof DeliveryRecord>>({
    eventId: row.eventId,
    type: nameIn(row.naming, row.type),
    isTest: row.isTest,
    status: row.status,
    failure: row.status === "delivered" ? null : toFailure(row.lastFailure),
    attempts: attempts.map(toAttempt),
    nextAttemptAt: row.nextAttemptAt && toTimestamp(row.nextAttemptAt),
    createdAt: toTimestamp(row.createdAt),
    finishedAt: row.finishedAt && toTimestamp(row.finishedAt),
  });
}

export const toTestResult = ({ eventId, type, attempt }: WebhookTest): z.infer<typeof TestResult> => ({
  eventId,
  type,
  delivered: attempt.failure === null,
  attempt: toAttempt(attempt),
});

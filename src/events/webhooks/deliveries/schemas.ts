import { z } from "@hono/zod-openapi";
import { CursorQuery } from "../../../platform/http/cursor.ts";
import { hinted } from "../../../platform/http/hints/issue-hints.ts";
import { Instant } from "../../../platform/http/instant.ts";
import { checkTimeRange, timeRange } from "../../../platform/http/time-range.ts";
import { checkTypePattern, EventEnvelope, resolveTypes } from "../../index.ts";
import { TimestampField, TypePattern } from "../endpoints/schemas.ts";
import { FailureRecord, HttpStatus, ReasonRecord } from "../records/failure-record.ts";

export const TestWebhook = z
  .strictObject({
    type: z
      .string()
      .superRefine((name, context) => {
        const checked = checkTypePattern(name);
        if (!checked.ok) context.addIssue({ code: "custom", ...hinted(checked.message, checked.hint) });
        else if (name.endsWith("*")) context.addIssue({ code: "custom", message: "must be one kind of event" });
      })
      .openapi({ description: "A name in either naming", example: "asset.ready" }),
  })
  .openapi("TestWebhook");

export const RecoverWebhook = z
  .strictObject({ since: Instant.openapi({ description: "At most 30 days ago" }) })
  .openapi("RecoverWebhook");

export const RedeliverEvent = z
  .strictObject({
    webhookId: z.uuid().optional().openapi({
      description:
        "Absent: every webhook that has a delivery of it, and every enabled one that subscribes to its type now",
    }),
  })
  .openapi("RedeliverEvent");

const DELIVERY_STATUSES = ["pending", "delivered", "failed", "cancelled"] as const;

export const DeliveriesQuery = CursorQuery.extend({
  status: z.enum(DELIVERY_STATUSES).optional(),
  type: TypePattern.transform(resolveTypes)
    .optional()
    .openapi({ type: "string", description: "A name in either naming, or a prefix such as `video.media.*`" }),
  ...timeRange("Created"),
}).superRefine(checkTimeRange);

export const AttemptRecord = z
  .object({
    number: z.int().openapi({ description: "Counts from 1 within the delivery" }),
    at: TimestampField,
    durationMs: z.int(),
    status: HttpStatus,
    failure: FailureRecord,
    responseHead: z.string().openapi({ description: "The first 4 KB of the response body" }),
  })
  .openapi("DeliveryAttempt");

export const TestResult = z
  .object({ eventId: z.uuid(), type: z.string(), delivered: z.boolean(), attempt: AttemptRecord })
  .openapi("WebhookTest");

export const DeliveryRecord = z
  .object({
    eventId: z.uuid(),
    type: z.string().openapi({ description: "The name in the webhook's naming" }),
    isTest: z.boolean().openapi({ description: "A sample sent by a test of the webhook" }),
    status: z.enum(DELIVERY_STATUSES),
    failure: ReasonRecord.optional().openapi({ description: "Why it is not delivered, yet or finally" }),
    attempts: z.array(AttemptRecord).openapi({ description: "The last 20, oldest first" }),
    nextAttemptAt: TimestampField.optional(),
    createdAt: TimestampField,
    finishedAt: TimestampField.optional(),
  })
  .openapi("Delivery");

/** A delivery in the record of its event. */
export const EventDelivery = DeliveryRecord.extend({ webhookId: z.uuid(), url: z.url() }).openapi("EventDelivery");

export const EventRecord = z
  .object({
    event: EventEnvelope.openapi({ description: "As it is sent with `naming: service`" }),
    type: z.string().openapi({ description: "Its name with `naming: service`", example: "asset.ready" }),
    videoType: z.string().openapi({ description: "Its name with `naming: video`", example: "video.media.ready" }),
    isTest: z.boolean().openapi({ description: "A sample sent by a test of a webhook" }),
    deliveries: z.array(EventDelivery).openapi({ description: "One for each webhook" }),
  })
  .openapi("EventRecord");

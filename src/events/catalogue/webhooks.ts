import { z } from "@hono/zod-openapi";
import { kindsOf } from "./kind.ts";
import { Timestamp } from "../../records/fields.ts";
import { SAMPLE } from "./samples.ts";

const webhook = kindsOf("webhook", "webhook");
const { webhookId } = SAMPLE;
const url = "https://app.example.com/hooks/video";

/** Events about webhooks, which go to the workspace's other webhooks. */
export const webhookKinds = {
  "webhook.delivery.exhausted": webhook({
    isSent: true,
    status: "exhausted",
    when: "A delivery has failed after its last try; sent each time its tries run out.",
    data: z.strictObject({
      webhookId: z.uuid(),
      url: z.url(),
      eventId: z.uuid(),
      eventType: z.string().openapi({ description: "Kind of the undelivered event, by the service's name" }),
      attempts: z.int().nonnegative(),
      lastFailure: z.strictObject({
        reason: z.string(),
        message: z.string(),
        status: z.int().nullable().openapi({ description: "HTTP status of the last response; null = no response" }),
      }),
      firstAttemptAt: Timestamp.nullable().openapi({ description: "null = never attempted" }),
      lastAttemptAt: Timestamp.nullable().openapi({ description: "null = never attempted" }),
    }),
    example: {
      webhookId,
      url,
      eventId: SAMPLE.exhaustedEventId,
      eventType: "asset.ready",
      attempts: 14,
      lastFailure: {
        reason: "bad_status",
        message: "The server responded with a status outside 200 to 299.",
        status: 500,
      },
      firstAttemptAt: "2026-05-17T12:50:24.602000Z",
      lastAttemptAt: "2026-05-20T12:41:55.130000Z",
    },
  }),
  "webhook.disabled": webhook({
    isSent: true,
    status: "disabled",
    when: "A webhook was disabled: its endpoint answered 410, or every attempt failed for five days.",
    data: z.strictObject({
      webhookId: z.uuid(),
      url: z.url(),
      reason: z.enum(["gone", "failing_for_five_days"]),
      message: z.string(),
      failingSince: Timestamp,
      disabledAt: Timestamp,
    }),
    example: {
      webhookId,
      url,
      reason: "failing_for_five_days",
      message: "Every attempt for five days has failed.",
      failingSince: "2026-05-15T12:47:31.904000Z",
      disabledAt: "2026-05-20T12:47:33.250000Z",
    },
  }),
};

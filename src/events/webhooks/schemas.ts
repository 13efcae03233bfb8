import { z } from "@hono/zod-openapi";
import { checkTypePattern, resolveTypes } from "../index.ts";
import { CursorQuery } from "../../platform/http/cursor.ts";
import { Instant } from "../../platform/http/instant.ts";
import { checkTimeRange, timeRange } from "../../platform/http/time-range.ts";
import { DELIVERY_FAILURES, type DeliveryFailure } from "./failures.ts";
import { checkWebhookUrl } from "./webhook-url.ts";

const MAX_PATTERNS = 200; // more than there are kinds

const TypePattern = z.string().superRefine((pattern, context) => {
  const checked = checkTypePattern(pattern);
  if (!checked.ok) context.addIssue({ code: "custom", message: checked.message });
});

const Url = z
  .string()
  .min(1)
  .openapi({
    description:
      "https, a public host, port 80, 443 or above 1024, no credentials, at most 2,048 characters. It is verified first: " +
      "it must answer an unsigned `{}` with a 2xx within 10 s",
    example: "https://app.example.com/hooks/video",
  });
const Description = z.string().max(255);
const EventTypes = z
  .array(TypePattern)
  .max(MAX_PATTERNS)
  .openapi({
    description: "Names in either naming, or prefixes such as `video.media.*`; empty = all",
    example: ["asset.ready", "live_stream.*"],
  });
const Naming = z.enum(["service", "video"]).openapi({
  description: "The names that events are sent under. A change applies to new events",
});
const Secrets = z.boolean().openapi({
  description:
    "Live events include `streamKey`, `srtSecret`, `srtPlaybackSecret` and the keys of simulcast targets; otherwise these are `redacted`",
});
const SkipVerification = z.boolean().openapi({ description: "Skip the verification of the URL" });

export const CreateWebhook = z
  .looseObject({
    url: Url,
    description: Description.optional(),
    eventTypes: EventTypes.default([]),
    naming: Naming.default("service"),
    events: z.looseObject({ secrets: Secrets.default(false) }).default({ secrets: false }),
    enabled: z.boolean().default(true),
    skipVerification: SkipVerification.default(false),
  })
  .openapi("CreateWebhook");
export type CreateWebhook = z.infer<typeof CreateWebhook>;

export const UpdateWebhook = z
  .looseObject({
    url: Url.optional(),
    description: Description.nullable().optional().openapi({ description: "null removes it" }),
    eventTypes: EventTypes.optional(),
    naming: Naming.optional(),
    events: z.looseObject({ secrets: Secrets.optional() }).optional(),
    enabled: z.boolean().optional().openapi({
      description:
        "false: new events create no delivery, and pending deliveries wait. true also enables a disabled webhook again",
    }),
    skipVerification: SkipVerification.default(false),
  })
  .openapi("UpdateWebhook");
export type UpdateWebhook = z.infer<typeof UpdateWebhook>;

/** Checks of the URL that depend on the deployment. The schema has checked that it is a string. */
export function urlIssues(body: unknown, allowPrivate: boolean): z.core.$ZodIssue[] {
  const url = (body as { url?: unknown } | null | undefined)?.url;
  if (typeof url !== "string" || url === "") return [];
  const checked = checkWebhookUrl(url, allowPrivate);
  return checked.ok ? [] : [{ code: "custom", path: ["url"], message: checked.message, input: undefined }];
}

export const TestWebhook = z
  .looseObject({
    type: z
      .string()
      .superRefine((name, context) => {
        const checked = checkTypePattern(name);
        if (!checked.ok) context.addIssue({ code: "custom", message: checked.message });
        else if (name.endsWith("*")) context.addIssue({ code: "custom", message: "must be one kind of event" });
      })
      .openapi({ description: "A name in either naming", example: "asset.ready" }),
  })
  .openapi("TestWebhook");

export const RecoverWebhook = z
  .looseObject({ since: Instant.openapi({ description: "At most 30 days ago" }) })
  .openapi("RecoverWebhook");

export const RedeliverEvent = z
  .looseObject({
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

const Timestamp = z.iso.datetime().openapi({ example: "2026-05-20T12:50:15.662000Z" });
const failureCodes = Object.keys(DELIVERY_FAILURES) as [DeliveryFailure, ...DeliveryFailure[]];
const Reason = z.object({ code: z.enum(failureCodes), message: z.string() });
const Failure = Reason.extend({
  detail: z.string().optional().openapi({ description: "Details", example: "answered 404" }),
})
  .nullable()
  .openapi("DeliveryFailure", { description: "null = delivered" });
const HttpStatus = z.int().nullable().openapi({ description: "HTTP; null = no response" });

export const WebhookRecord = z
  .object({
    id: z.uuid(),
    url: z.url(),
    description: z.string().optional(),
    eventTypes: z.array(z.string()),
    eventTypesNotSent: z.array(z.string()).optional().openapi({
      description:
        "Those of `eventTypes` of which this release sends no kind (`isSent` of `GET /v1/event-types`); absent = none",
    }),
    naming: z.enum(["service", "video"]),
    events: z.object({ secrets: z.boolean() }),
    enabled: z.boolean(),
    status: z.enum(["active", "failing", "disabled", "paused"]).openapi({
      description:
        "`failing`: every attempt has failed since `failingSince`. `disabled`: by the service, see `disabledReason`. `paused`: by you",
    }),
    failingSince: Timestamp.optional(),
    disabledReason: z.object({ code: z.enum(["gone", "failing_for_five_days"]), message: z.string() }).optional(),
    disabledAt: Timestamp.optional(),
    lastDelivery: z
      .object({ at: Timestamp, status: HttpStatus, failure: Failure })
      .optional()
      .openapi({ description: "The last attempt; `failure: null` = delivered" }),
    previousSecretUntil: Timestamp.optional().openapi({
      description: "The previous secret also signs `webhook-signature` until then",
    }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .openapi("Webhook");

const Secret = z.string().openapi({
  description: "Base64 of 32 bytes, which are the signing key",
  example: "c2FtcGxlIHNlY3JldCwgdGhpcnR5LXR3byBieXRlcyE=",
});
export const CreatedWebhook = WebhookRecord.extend({ secret: Secret }).openapi("CreatedWebhook");
export const WebhookSecret = z.object({ secret: Secret }).openapi("WebhookSecret");

export const AttemptRecord = z
  .object({
    number: z.int().openapi({ description: "Counts from 1 within the delivery" }),
    at: Timestamp,
    durationMs: z.int(),
    status: HttpStatus,
    failure: Failure,
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
    failure: Reason.optional().openapi({ description: "Why it is not delivered, yet or finally" }),
    attempts: z.array(AttemptRecord).openapi({ description: "The last 20, oldest first" }),
    nextAttemptAt: Timestamp.optional(),
    createdAt: Timestamp,
    finishedAt: Timestamp.optional(),
  })
  .openapi("Delivery");

/** A delivery in the record of its event. */
export const EventDelivery = DeliveryRecord.extend({ webhookId: z.uuid(), url: z.url() }).openapi("EventDelivery");

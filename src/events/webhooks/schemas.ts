import { z } from "@hono/zod-openapi";
import { checkTypePattern, resolveTypes } from "../index.ts";
import { CursorQuery } from "../../platform/http/cursor.ts";
import { Instant } from "../../platform/http/instant.ts";
import { checkTimeRange, timeRange } from "../../platform/http/time-range.ts";
import { DELIVERY_FAILURES, type DeliveryFailure } from "./failures.ts";
import { checkWebhookUrl } from "./webhook-url.ts";

const MAX_PATTERNS = 200; // more than there are names

const TypePattern = z.string().superRefine((pattern, context) => {
  const checked = checkTypePattern(pattern);
  if (!checked.ok) context.addIssue({ code: "custom", message: checked.message });
});

const Url = z
  .string()
  .min(1)
  .openapi({
    description:
      "https, on a public host, port 80, 443 or above 1024, without credentials, at most 2,048 characters. It is asked " +
      "first: an unsigned `{}` has to be answered with a 2xx within 10 s",
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
  description: "Which names events are sent under; a change holds for events from then on",
});
const Secrets = z.boolean().openapi({
  description:
    "Live events carry `streamKey`, `srtSecret`, `srtPlaybackSecret` and the keys of simulcast targets; otherwise these are `redacted`",
});
const SkipVerification = z.boolean().openapi({ description: "Do not ask the URL first" });

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
    description: Description.nullable().optional().openapi({ description: "null takes it away" }),
    eventTypes: EventTypes.optional(),
    naming: Naming.optional(),
    events: z.looseObject({ secrets: Secrets.optional() }).optional(),
    enabled: z.boolean().optional().openapi({
      description:
        "false: no event is queued and what is queued waits. true also ends a disabling and lets it start anew",
    }),
    skipVerification: SkipVerification.default(false),
  })
  .openapi("UpdateWebhook");
export type UpdateWebhook = z.infer<typeof UpdateWebhook>;

/** The half of the check that depends on what this deployment may reach; a URL that is no text is the schema's. */
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
        else if (name.endsWith("*")) context.addIssue({ code: "custom", message: "has to be one kind of event" });
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
      description: "Absent: every webhook that has had it, and every enabled one that wants its type now",
    }),
  })
  .openapi("RedeliverEvent");

export const DELIVERY_STATUSES = ["pending", "delivered", "failed", "cancelled"] as const;

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
  detail: z.string().optional().openapi({ description: "What exactly came back", example: "answered 404" }),
})
  .nullable()
  .openapi("DeliveryFailure", { description: "null = delivered" });
const HttpStatus = z.int().nullable().openapi({ description: "HTTP; null = there was no answer" });

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
        "`failing`: nothing has arrived since `failingSince`. `disabled`: by us, see `disabledReason`. `paused`: by you",
    }),
    failingSince: Timestamp.optional(),
    disabledReason: z.object({ code: z.enum(["gone", "failing_for_five_days"]), message: z.string() }).optional(),
    disabledAt: Timestamp.optional(),
    lastDelivery: z
      .object({ at: Timestamp, status: HttpStatus, failure: Failure })
      .optional()
      .openapi({ description: "The last attempt of all; `failure: null` = it was delivered" }),
    previousSecretUntil: Timestamp.optional().openapi({
      description: "Until then the secret before the current one signs beside it in `webhook-signature`",
    }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .openapi("Webhook");

const Secret = z.string().openapi({
  description: "Base64 of 32 bytes; the bytes are the key of the signatures",
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
    responseHead: z.string().openapi({ description: "The first 4 KB of the answer" }),
  })
  .openapi("DeliveryAttempt");

export const TestResult = z
  .object({ eventId: z.uuid(), type: z.string(), delivered: z.boolean(), attempt: AttemptRecord })
  .openapi("WebhookTest");

export const DeliveryRecord = z
  .object({
    eventId: z.uuid(),
    type: z.string().openapi({ description: "The name that it is sent under" }),
    isTest: z.boolean().openapi({ description: "A sample that somebody asked for" }),
    status: z.enum(DELIVERY_STATUSES),
    failure: Reason.optional().openapi({ description: "Why it has not been delivered, so far or for good" }),
    attempts: z.array(AttemptRecord).openapi({ description: "In their order; the last 20 of them" }),
    nextAttemptAt: Timestamp.optional(),
    createdAt: Timestamp,
    finishedAt: Timestamp.optional(),
  })
  .openapi("Delivery");

/** A delivery as its event shows it. */
export const EventDelivery = DeliveryRecord.extend({ webhookId: z.uuid(), url: z.url() }).openapi("EventDelivery");

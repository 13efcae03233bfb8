import { z } from "@hono/zod-openapi";
import { Timestamp } from "../../../records/fields.ts";
import { ALL_TYPES, checkTypePattern } from "../../index.ts";
import { lines } from "../../../platform/http/fields.ts";
import { hinted } from "../../../platform/http/hints/issue-hints.ts";
import { urlHint } from "../../../platform/network/public-url.ts";
import { checkWebhookUrl } from "../attempt/webhook-url.ts";
import { FailureRecord, HttpStatus } from "../records/failure-record.ts";

const MAX_PATTERNS = 200; // more than there are kinds

/** A name or a prefix of names, checked but not resolved. */
export const TypePattern = z.string().superRefine((pattern, context) => {
  const checked = checkTypePattern(pattern);
  if (!checked.ok) context.addIssue({ code: "custom", ...hinted(checked.message, checked.hint) });
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
const Description = lines(255);
const EventTypes = z
  .array(TypePattern)
  .min(1)
  .max(MAX_PATTERNS)
  .openapi({
    description: 'Names in either naming, or prefixes such as `video.media.*`; `["*"]` = all',
    example: ["asset.ready", "live_stream.*"],
  });
const Naming = z.enum(["service", "video"]).openapi({
  description: "The names that events are sent under. A change applies to new events",
});
const Secrets = z.boolean().openapi({
  description:
    "Live events include `streamKey`, `srtSecret` and the keys of simulcast targets, and events of uploads the signature of `url`; otherwise these are `redacted`",
});
const SkipVerification = z.boolean().openapi({ description: "Skip the verification of the URL" });

export const CreateWebhook = z
  .strictObject({
    url: Url,
    description: Description.optional(),
    eventTypes: EventTypes.default([...ALL_TYPES]),
    naming: Naming.default("service"),
    events: z.strictObject({ secrets: Secrets.default(false) }).default({ secrets: false }),
    enabled: z.boolean().default(true),
    skipVerification: SkipVerification.default(false),
  })
  .openapi("CreateWebhook");
export type CreateWebhook = z.infer<typeof CreateWebhook>;

export const UpdateWebhook = z
  .strictObject({
    url: Url.optional(),
    description: Description.nullable().optional().openapi({ description: "null removes it" }),
    eventTypes: EventTypes.optional(),
    naming: Naming.optional(),
    events: z.strictObject({ secrets: Secrets.optional() }).optional(),
    enabled: z.boolean().optional().openapi({
      description:
        "false: new events create no delivery, and pending deliveries wait. Either value ends the state `disabled`",
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
  if (checked.ok) return [];
  const { message } = checked;
  return [{ code: "custom", path: ["url"], ...hinted(message, urlHint(message)), input: undefined }];
}

export const TimestampField = Timestamp.openapi({ example: "2026-05-20T12:50:15.662000Z" });

export const WebhookRecord = z
  .object({
    id: z.uuid(),
    url: z.url(),
    description: z.string().optional(),
    eventTypes: z
      .array(z.string())
      .openapi({ description: '`["*"]` = all', example: ["asset.ready", "live_stream.*"] }),
    eventTypesNotSent: z.array(z.string()).optional().openapi({
      description:
        "Those of `eventTypes` of which this release sends no kind (`isSent` of `GET /v1/event-types`); absent = none",
    }),
    naming: z.enum(["service", "video"]),
    events: z.object({ secrets: z.boolean() }),
    enabled: z.boolean().openapi({ description: "Whether it gets events: with `status` `active` or `failing`" }),
    status: z.enum(["active", "failing", "disabled", "paused"]).openapi({
      description:
        "`failing`: every attempt has failed since `failingSince`. `disabled`: by the service, see `disabledReason`. `paused`: by you",
    }),
    failingSince: TimestampField.optional(),
    disabledReason: z.object({ code: z.enum(["gone", "failing_for_five_days"]), message: z.string() }).optional(),
    disabledAt: TimestampField.optional(),
    lastDelivery: z
      .object({ at: TimestampField, status: HttpStatus, failure: FailureRecord })
      .optional()
      .openapi({ description: "The last attempt; `failure: null` = delivered" }),
    previousSecretUntil: TimestampField.optional().openapi({
      description: "The previous secret also signs `webhook-signature` until then",
    }),
    createdAt: TimestampField,
    updatedAt: TimestampField,
  })
  .openapi("Webhook");

const Secret = z.string().openapi({
  description: "Base64 of 32 bytes, which are the signing key",
  example: "c2FtcGxlIHNlY3JldCwgdGhpcnR5LXR3byBieXRlcyE=",
});
export const CreatedWebhook = WebhookRecord.extend({ secret: Secret }).openapi("CreatedWebhook");
export const WebhookSecret = z.object({ secret: Secret }).openapi("WebhookSecret");

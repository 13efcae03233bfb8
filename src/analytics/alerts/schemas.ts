import { z } from "@hono/zod-openapi";
import { ALERT_METRICS, ALERT_OPERATORS, ALERT_SEVERITIES } from "../../events/index.ts";
import { lines } from "../../platform/http/fields.ts";
import { MAX_FILTERS } from "../questions/scope.ts";
import { MEASURED } from "./measured.ts";

/** The dimensions that views can be filtered by. */
export const ALERT_DIMENSIONS = [
  "country",
  "os_name",
  "cdn",
  "player_name",
  "device_type",
  "browser_name",
  "video_id",
  "media_id",
  "fp_live_stream_id",
] as const;

const TIMES = ALERT_METRICS.filter((metric) => MEASURED[metric].unit === "ms").map((metric) => `\`${metric}\``);

const fields = {
  name: lines(255).min(1),
  metric: z
    .enum(ALERT_METRICS)
    .openapi({ description: ALERT_METRICS.map((metric) => `\`${metric}\`: ${MEASURED[metric].words}`).join("; ") }),
  operator: z.enum(ALERT_OPERATORS),
  thresholdValue: z
    .number()
    .min(0)
    .max(86_400_000)
    .openapi({ description: `A share from 0 to 1; of ${TIMES.join(", ")}, milliseconds` }),
  minViews: z
    .int()
    .min(1)
    .max(1_000_000)
    .openapi({ description: "Five minutes with fewer views neither trigger the alert nor let it recover" }),
  severity: z.enum(ALERT_SEVERITIES),
  cooldownMinutes: z
    .int()
    .min(0)
    .max(10_080)
    .openapi({ description: "The alert is not triggered again so soon after it was triggered" }),
  recoveryBucketCount: z
    .int()
    .min(1)
    .max(288)
    .openapi({ description: "Times of five minutes within the threshold, in a row, until it has recovered" }),
  filters: z
    .array(z.string())
    .max(MAX_FILTERS)
    .openapi({ description: `dimension:value, or !dimension:value to exclude: ${ALERT_DIMENSIONS.join(", ")}` }),
};

export const CreateAlert = z
  .strictObject({
    ...fields,
    operator: fields.operator.default(">"),
    minViews: fields.minViews.default(10),
    severity: fields.severity.default("medium"),
    cooldownMinutes: fields.cooldownMinutes.default(30),
    recoveryBucketCount: fields.recoveryBucketCount.default(2),
    filters: fields.filters.default([]),
  })
  .openapi("CreateAlert");
export type CreateAlert = z.output<typeof CreateAlert>;

export const UpdateAlert = z.strictObject(fields).partial().openapi("UpdateAlert");

export const AlertRecord = z
  .object({
    id: z.uuid(),
    ...fields,
    status: z.enum(["ok", "triggered"]),
    triggeredAt: z
      .string()
      .nullable()
      .openapi({ description: "The end of the five minutes that triggered it last; null = never" }),
    lastBucket: z
      .object({ end: z.string(), views: z.int(), value: z.number().nullable() })
      .nullable()
      .openapi({ description: "The five minutes that were evaluated last; null = none yet" }),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .openapi("Alert");

import { z } from "@hono/zod-openapi";
import { ALERT_METRICS, ALERT_OPERATORS, ALERT_SEVERITIES } from "./alert-terms.ts";
import { kindsOf } from "./kind.ts";
import { Timestamp } from "../../records/fields.ts";
import { SAMPLE } from "./samples.ts";

const alert = kindsOf("data", "alert");

/** The rule, and the figures that decided. */
const Alert = z.strictObject({
  alertId: z.uuid(),
  name: z.string(),
  severity: z.enum(ALERT_SEVERITIES),
  metric: z.enum(ALERT_METRICS),
  operator: z.enum(ALERT_OPERATORS),
  thresholdValue: z.number(),
  filters: z.array(z.string()).openapi({ description: "dimension:value, or !dimension:value" }),
  value: z
    .number()
    .openapi({ description: "Of the metric, from `bucketStart` to `bucketEnd`: a share, or milliseconds" }),
  views: z.int().nonnegative().openapi({ description: "Views that ended in this time" }),
  bucketStart: Timestamp,
  bucketEnd: Timestamp,
});
const example: z.output<typeof Alert> = {
  alertId: SAMPLE.alertId,
  name: "Playback fails in Italy",
  severity: "high",
  metric: "error_rate",
  operator: ">",
  thresholdValue: 0.05,
  filters: ["country:IT"],
  value: 0.125,
  views: 320,
  bucketStart: "2026-05-20T12:40:00.000000Z",
  bucketEnd: "2026-05-20T12:45:00.000000Z",
};

export const dataKinds = {
  "data.alert.triggered": alert({
    isSent: true,
    status: "triggered",
    when: "A metric of the views of five minutes has passed the threshold of an alert.",
    data: Alert,
    example,
  }),
  "data.alert.recovered": alert({
    isSent: true,
    status: "recovered",
    when: "The metric of a triggered alert has stayed within its threshold for as many buckets as the alert asks for.",
    data: z.strictObject({
      ...Alert.shape,
      triggeredAt: Timestamp.openapi({ description: "`bucketEnd` of the event `data.alert.triggered`" }),
    }),
    example: { ...example, value: 0.004, views: 341, triggeredAt: "2026-05-20T12:20:00.000000Z" },
  }),
};

import type { z } from "@hono/zod-openapi";
import { toTimestamp } from "../../platform/timestamp.ts";
import type { AlertRule } from "./repository.ts";
import type { AlertRecord } from "./schemas.ts";

export function toAlert(rule: AlertRule): z.output<typeof AlertRecord> {
  const { triggeredAtMs, evaluatedUntilMs, lastViews: views, lastValue: value } = rule;
  return {
    id: rule.id,
    name: rule.name,
    metric: rule.metric,
    operator: rule.operator,
    thresholdValue: rule.thresholdValue,
    minViews: rule.minViews,
    severity: rule.severity,
    cooldownMinutes: rule.cooldownMinutes,
    recoveryBucketCount: rule.recoveryBucketCount,
    filters: rule.filters,
    status: rule.status,
    triggeredAt: triggeredAtMs === null ? null : toTimestamp(new Date(triggeredAtMs)),
    lastBucket: views === null ? null : { end: toTimestamp(new Date(evaluatedUntilMs)), views, value },
    createdAt: toTimestamp(rule.createdAt),
    updatedAt: toTimestamp(rule.updatedAt),
  };
}

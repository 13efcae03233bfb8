import type { NewEvent } from "../../events/index.ts";
import { toTimestamp } from "../../platform/timestamp.ts";
import { BUCKET_MS, type Bucket } from "./decide.ts";
import type { AlertRule } from "./repository.ts";

/** @param rule its state before the bucket */
export function alertEvent(
  rule: AlertRule,
  kind: "triggered" | "recovered",
  { endMs, views, value }: Bucket,
  id: string,
  nowMs: number,
): NewEvent {
  const data = {
    alertId: rule.id,
    name: rule.name,
    severity: rule.severity,
    metric: rule.metric,
    operator: rule.operator,
    thresholdValue: rule.thresholdValue,
    filters: rule.filters,
    value,
    views,
    bucketStart: time(endMs - BUCKET_MS),
    bucketEnd: time(endMs),
  };
  return {
    id,
    workspaceId: rule.workspaceId,
    type: `data.alert.${kind}`,
    objectId: rule.id,
    occurredAtMs: nowMs,
    data: kind === "triggered" ? data : { ...data, triggeredAt: time(rule.triggeredAtMs ?? endMs) },
  };
}

const time = (ms: number) => toTimestamp(new Date(ms));

/** When an alert is triggered, and when it recovers. Pure. */
import type { alertRules } from "./tables.ts";

type AlertRule = typeof alertRules.$inferSelect;

const MINUTE_MS = 60_000;
/** Length of a bucket: metrics are computed over the views that ended in it. */
export const BUCKET_MS = 5 * MINUTE_MS;
/** A bucket is evaluated this long after its end: a view is final up to a minute after its last event, and is then written to its store. */
const SETTLE_MS = 2 * MINUTE_MS;

/** The end of the last bucket that can be evaluated, epoch ms. */
export const lastBucketEndMs = (nowMs: number): number => Math.floor((nowMs - SETTLE_MS) / BUCKET_MS) * BUCKET_MS;

type Threshold = Pick<
  AlertRule,
  "operator" | "thresholdValue" | "minViews" | "cooldownMinutes" | "recoveryBucketCount"
>;
export type AlertState = Pick<AlertRule, "status" | "triggeredAtMs" | "healthyBuckets">;
export interface Bucket {
  /** Epoch ms. */
  endMs: number;
  views: number;
  /** Null = no view has a value. */
  value: number | null;
}

/** @returns the state after the bucket, and the event that announces a change; null = nothing to announce */
export function decide(
  rule: Threshold,
  state: AlertState,
  { endMs, views, value }: Bucket,
): { state: AlertState; event: "triggered" | "recovered" | null } {
  const unchanged = { state, event: null };
  if (value === null || views < rule.minViews) return unchanged; // too few views to trigger or to recover
  const isBreached = rule.operator === ">" ? value > rule.thresholdValue : value >= rule.thresholdValue;
  if (state.status === "triggered") {
    if (isBreached) return { state: { ...state, healthyBuckets: 0 }, event: null };
    const healthyBuckets = state.healthyBuckets + 1;
    if (healthyBuckets < rule.recoveryBucketCount) return { state: { ...state, healthyBuckets }, event: null };
    return { state: { ...state, status: "ok", healthyBuckets: 0 }, event: "recovered" };
  }
  const isCoolingDown = state.triggeredAtMs !== null && endMs - state.triggeredAtMs < rule.cooldownMinutes * MINUTE_MS;
  if (!isBreached || isCoolingDown) return unchanged;
  return { state: { status: "triggered", triggeredAtMs: endMs, healthyBuckets: 0 }, event: "triggered" };
}

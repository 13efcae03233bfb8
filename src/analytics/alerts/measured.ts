import type { ALERT_METRICS } from "../../events/index.ts";
import type { MetricName } from "../questions/metrics.ts";

export type AlertMetric = (typeof ALERT_METRICS)[number];

/** The metric of `GET /v1/data/metrics` whose average an alert compares with its threshold. */
export const MEASURED: Record<AlertMetric, MetricName> = {
  error_rate: "playback_failure_percentage",
  rebuffer_ratio: "buffer_ratio",
  video_startup_time: "video_startup_time",
  exit_before_video_start: "exit_before_video_start",
  video_startup_failure: "video_startup_failure_percentage",
};

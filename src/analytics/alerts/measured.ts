import type { ALERT_METRICS } from "../../events/index.ts";
import type { MetricName } from "../questions/metrics.ts";

export type AlertMetric = (typeof ALERT_METRICS)[number];

interface Measured {
  /** The metric of `GET /v1/data/metrics` whose average is compared with the threshold. */
  metric: MetricName;
  /** Also the unit of the threshold. A share is from 0 to 1. */
  unit: "share" | "ms";
  /** What is compared, for the API document and the guide (docs/guides/video-data.md). */
  words: string;
}

/** What an alert of each metric compares with its threshold. */
export const MEASURED: Record<AlertMetric, Measured> = {
  error_rate: {
    metric: "playback_failure_percentage",
    unit: "share",
    words: "share of the views that an error ended",
  },
  rebuffer_ratio: {
    metric: "buffer_ratio",
    unit: "share",
    words: "average share of the watch time that playback stood still",
  },
  video_startup_time: {
    metric: "video_startup_time",
    unit: "ms",
    words: "average time to the first picture, in milliseconds",
  },
  exit_before_video_start: {
    metric: "exit_before_video_start",
    unit: "share",
    words: "share of the views that were left before the first picture",
  },
  video_startup_failure: {
    metric: "video_startup_failure_percentage",
    unit: "share",
    words: "share of the views that an error ended before their first picture",
  },
};

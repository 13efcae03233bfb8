/** The 26 metrics (media contract, analytics: the metrics): the column of the view store that each is computed from. */
import type { Measure } from "../store/columns.ts";

interface Metric {
  /** Null = the metric counts views, for every measurement. */
  column: Measure | null;
  /** Counts distinct values. */
  isDistinct?: boolean;
  /** Values are whole. */
  isWhole?: boolean;
}

export const METRICS = {
  views: { column: null },
  unique_viewers: { column: "viewer_key", isDistinct: true },
  playing_time: { column: "playing_ms", isWhole: true },
  quality_of_experience_score: { column: "experience_score" },
  playback_score: { column: "playback_score" },
  playback_failure_percentage: { column: "has_failed" },
  exit_before_video_start: { column: "left_before_start" },
  video_startup_failure_percentage: { column: "failed_at_startup" },
  startup_score: { column: "startup_score" },
  video_startup_time: { column: "startup_ms", isWhole: true },
  player_startup_time: { column: "player_startup_ms", isWhole: true },
  page_load_time: { column: "page_load_ms", isWhole: true },
  total_startup_time: { column: "total_startup_ms", isWhole: true },
  live_stream_latency: { column: "live_latency_ms", isWhole: true },
  average_bitrate: { column: "average_bitrate_bps" },
  buffer_count: { column: "buffer_count", isWhole: true },
  render_quality_score: { column: "render_quality_score" },
  avg_upscaling: { column: "avg_upscaling" },
  avg_downscaling: { column: "avg_downscaling" },
  max_upscaling: { column: "max_upscaling" },
  max_downscaling: { column: "max_downscaling" },
  jump_latency: { column: "jump_latency_ms" },
  stability_score: { column: "stability_score" },
  buffer_ratio: { column: "buffer_ratio" },
  buffer_frequency: { column: "buffer_frequency" },
  buffer_fill: { column: "buffer_ms", isWhole: true },
} satisfies Record<string, Metric>;

export type MetricName = keyof typeof METRICS;
export const METRIC_NAMES = Object.keys(METRICS) as [MetricName, ...MetricName[]];

export const MEASUREMENTS = ["95th", "median", "avg", "count", "sum"] as const;
export type Measurement = (typeof MEASUREMENTS)[number];

/** The share of views below the value; null = the measurement is not a quantile. */
export const quantileOf = (measurement: Measurement): number | null =>
  measurement === "95th" ? 0.95 : measurement === "median" ? 0.5 : null;

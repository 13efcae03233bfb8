import type { Measurement, MetricName } from "../questions/metrics.ts";

export type Type = "number" | "milliseconds" | "percentage" | "mbps";
export interface Branch {
  name: string;
  /** The name here, where it differs from the metric's. */
  shownAs?: string;
  metric: MetricName;
  type: Type;
  measurement: Measurement | null;
  items?: Branch[];
}

const leaf = (
  metric: MetricName,
  type: Type,
  measurement: Measurement | null,
  name: string,
  shownAs?: string,
): Branch => ({ metric, type, measurement, name, ...(shownAs === undefined ? {} : { shownAs }) });
const each = (
  metric: MetricName,
  type: Type,
  measurements: readonly Measurement[],
  name: string,
  shownAs?: string,
): Branch[] => measurements.map((measurement) => leaf(metric, type, measurement, name, shownAs));

export const TYPICAL = ["median", "95th"] as const;
const SCALING = ["median", "95th", "avg"] as const;

/** The tree (media contract, analytics: "Comparison tree"). */
export const TREE: readonly Branch[] = [
  {
    ...leaf("views", "number", "count", "Views"),
    items: [
      leaf("unique_viewers", "number", "count", "Unique viewers"),
      ...each("playing_time", "milliseconds", ["sum", "median", "avg"], "Playing time"),
    ],
  },
  leaf("quality_of_experience_score", "number", "avg", "Overall score", "overall_score"),
  {
    ...leaf("playback_score", "number", "avg", "Playback success score", "playback_success_score"),
    items: [
      leaf("playback_failure_percentage", "percentage", null, "Playback failures"),
      leaf("video_startup_failure_percentage", "percentage", null, "Video startup failures"),
      leaf("exit_before_video_start", "percentage", null, "Exits before video start"),
    ],
  },
  {
    ...leaf("startup_score", "number", "avg", "Startup score"),
    items: [
      ...each("video_startup_time", "milliseconds", TYPICAL, "Video startup time"),
      ...each("player_startup_time", "milliseconds", TYPICAL, "Player startup time"),
      ...each("page_load_time", "milliseconds", TYPICAL, "Page load time"),
      ...each("total_startup_time", "milliseconds", TYPICAL, "Total startup time"),
      leaf("jump_latency", "milliseconds", "avg", "Seek latency"),
    ],
  },
  {
    ...leaf("stability_score", "number", "avg", "Stability score"),
    items: [
      leaf("buffer_ratio", "percentage", null, "Buffer ratio"),
      leaf("buffer_frequency", "number", null, "Buffer frequency"),
      ...each("buffer_fill", "milliseconds", TYPICAL, "Buffer fill"),
      ...each("buffer_count", "number", TYPICAL, "Buffer count"),
    ],
  },
  {
    ...leaf("render_quality_score", "number", "avg", "Render quality score"),
    items: [
      ...each("avg_upscaling", "percentage", SCALING, "Upscaling", "upscale_percentage"),
      ...each("avg_downscaling", "percentage", SCALING, "Downscaling", "downscale_percentage"),
      ...each("max_upscaling", "percentage", TYPICAL, "Maximum upscaling", "max_upscale_percentage"),
      ...each("max_downscaling", "percentage", TYPICAL, "Maximum downscaling", "max_downscale_percentage"),
      ...each("average_bitrate", "mbps", TYPICAL, "Average bitrate"),
      ...each("live_stream_latency", "milliseconds", TYPICAL, "Live stream latency"),
    ],
  },
];

/** Averages over views that did not fail. */
export const SCORES = new Set<MetricName>([
  "quality_of_experience_score",
  "playback_score",
  "startup_score",
  "stability_score",
  "render_quality_score",
]);

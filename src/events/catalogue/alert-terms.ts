/** The words of alert rules (media contract, events: "Alerts"), which are in their events too. */
export const ALERT_METRICS = [
  "error_rate",
  "rebuffer_ratio",
  "video_startup_time",
  "exit_before_video_start",
  "video_startup_failure",
] as const;
export const ALERT_OPERATORS = [">", ">="] as const;
export const ALERT_SEVERITIES = ["low", "medium", "high", "critical"] as const;

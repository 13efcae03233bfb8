import type { ViewRecord } from "../views/view-record.ts";
import { DIMENSIONS, dimensionsOf } from "./dimensions.ts";

/** The columns from which metrics are computed. */
const MEASURES = {
  view_start_ms: (view) => view.viewStartMs,
  view_end_ms: (view) => view.viewEndMs,
  is_final: (view) => Number(view.isFinal),
  /** Identifies a viewer: the integrator's id, or the id in the SDK's cookie, or the view's id. */
  viewer_key: (view) => view.viewerId ?? view.fpViewerId ?? view.viewId,
  watch_ms: (view) => view.watchTime,
  playing_ms: (view) => view.viewPlayingTime,
  startup_ms: (view) => view.videoStartupTime,
  player_startup_ms: (view) => view.playerInitializationTime,
  page_load_ms: (view) => view.pageLoadTime,
  total_startup_ms: (view) => view.totalStartupTime,
  live_latency_ms: (view) => view.liveStreamLatency,
  average_bitrate_bps: (view) => view.averageBitrate,
  buffer_count: (view) => view.bufferCount,
  buffer_ms: (view) => view.bufferFill,
  buffer_ratio: (view) => view.bufferRatio,
  buffer_frequency: (view) => view.bufferFrequency,
  jump_latency_ms: (view) => view.jumpLatency,
  avg_upscaling: (view) => view.avgUpscaling,
  avg_downscaling: (view) => view.avgDownscaling,
  max_upscaling: (view) => view.maxUpscaling,
  max_downscaling: (view) => view.maxDownscaling,
  playback_score: (view) => view.playbackScore,
  startup_score: (view) => view.startupScore,
  stability_score: (view) => view.stabilityScore,
  render_quality_score: (view) => view.renderQualityScore,
  experience_score: (view) => view.qualityOfExperienceScore,
  has_failed: (view) => Number(view.viewHasError),
  failed_at_startup: (view) => Number(view.videoStartupFailed),
  left_before_start: (view) => Number(view.exitBeforeVideoStart),
  error_message: (view) => view.errorMessage,
} satisfies Record<string, (view: ViewRecord) => string | number | null>;

export type Measure = keyof typeof MEASURES;

/** One row per view. A Durable Object's table has at most 100 columns, so everything else is in `record`. */
export const VIEW_COLUMNS: readonly string[] = [
  "view_id",
  ...Object.keys(MEASURES),
  ...DIMENSIONS,
  "revision",
  "record",
];

const NUMERIC = new Set([...Object.keys(MEASURES), "revision"]);
for (const text of ["viewer_key", "error_message"]) NUMERIC.delete(text);

export const isNumericColumn = (name: string): boolean => NUMERIC.has(name);

/** @param revision orders the states of a view: the highest stays */
export const rowOf = (view: ViewRecord, revision: number): Record<string, string | number | null> => ({
  view_id: view.viewId,
  ...Object.fromEntries(Object.entries(MEASURES).map(([name, read]) => [name, read(view)])),
  ...dimensionsOf(view),
  revision,
  record: JSON.stringify(view),
});

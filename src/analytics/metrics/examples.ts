/** Example answers of the video data, by component of the OpenAPI document. */
import type { z } from "@hono/zod-openapi";
import type { ComparisonItem } from "./comparison.ts";
import type { PlaybackError, TopError } from "./list-errors.ts";
import type { ViewItem } from "./to-view.ts";

const EXPORT_ID = "2c9d4f70-5b1e-4f83-9a6d-7e08b3c1d452";
const ALERT_ID = "a6f29c15-7d83-4e0b-8b52-3c91e7d0f468";
const VIEW_ID = "b05e3c81-f72d-4a96-8e14-6d9c02f7b53a";

const viewItem: z.output<typeof ViewItem> = {
  viewId: VIEW_ID,
  operatingSystem: "Android",
  application: "Chrome",
  viewStartTime: "2026-05-20T13:04:02.150",
  viewEndTime: "2026-05-20T13:05:14.907",
  videoTitle: "Harbour at dawn",
  errorCode: null,
  errorMessage: null,
  errorId: null,
  country: "IT",
  viewWatchTime: 70_040,
  QoeScore: 0.97,
};

const view = {
  viewId: VIEW_ID,
  workspaceId: "0d3b9f52-6c1e-4a87-9b40-7e2f5c81d6a3",
  viewStart: "2026-05-20T13:04:02.150Z",
  viewEnd: "2026-05-20T13:05:14.907Z",
  watchTime: 70_040,
  videoStartupTime: 412,
  qualityOfExperienceScore: 0.97,
  events: [
    { e: "viewBegin", pt: 0, vt: 1_779_282_242_150 },
    { e: "playing", pt: 0, vt: 1_779_282_242_562 },
    { e: "variantChanged", pt: 40, vt: 1_779_282_242_610, d: { br: 2_100_000, h: 720, w: 1280, fps: 30 } },
  ],
};

const createAlert = {
  name: "Playback fails in Italy",
  metric: "error_rate",
  operator: ">",
  thresholdValue: 0.05,
  minViews: 50,
  severity: "high",
  cooldownMinutes: 30,
  recoveryBucketCount: 2,
  filters: ["country:IT"],
};

const comparison: z.output<typeof ComparisonItem> = {
  value: 1204,
  type: "number",
  name: "Views",
  metric: "views",
  measurement: "count",
  items: [
    { value: 871, type: "number", name: "Unique viewers", metric: "unique_viewers", measurement: "count", items: null },
  ],
};

const error = {
  percentage: 0.004,
  notes: "",
  message: "The video decoder failed on this device.",
  lastSeen: "2026-05-20 13:04:05.350",
  count: 5,
  code: "PIPELINE_ERROR_DECODE",
};
const playbackError: z.output<typeof PlaybackError> = {
  ...error,
  id: "1203847112",
  description: "video/avc, hardware",
};
const topError: z.output<typeof TopError> = { ...error, uniqueViewersEffectedPercentage: 0.005 };

export const VIDEO_DATA_EXAMPLES: Record<string, unknown> = {
  ViewItem: viewItem,
  View: view,
  TopContent: { videoTitle: "Harbour at dawn", views: 812, uniqueViews: 640 },
  DimensionName: "country",
  DimensionValue: { value: "IT", uniqueCount: 312, count: 401 },
  OverallValue: {
    value: 0.962,
    totalWatchTime: 84_302_117,
    uniqueViews: 871,
    totalViews: 1204,
    totalPlayTime: 83_120_455,
    globalValue: 0.958,
  },
  BreakdownValue: { views: 401, value: 0.971, totalWatchTime: 28_070_040, totalPlayingTime: 27_912_300, field: "IT" },
  IntervalValue: { intervalTime: "2026-05-20T13:00:00Z", metricValue: 0.968, numberOfViews: 57 },
  Now: {
    at: "2026-05-20T13:04:12.907Z",
    viewers: 57,
    views: 59,
    media: [{ mediaId: "7a1e5c94-2f0b-4d68-8c33-91b6e4f7a205", viewers: 41, views: 42 }],
    streams: [{ streamId: "4f1a90c7d26e4b85a3f7108be59d62c4", viewers: 16, views: 17 }],
    countries: [{ country: "IT", viewers: 57, views: 59 }],
  },
  CurrentViewsInterval: { intervalTime: "2026-05-20T13:04:00Z", metricValue: 57, numberOfViews: 57 },
  CurrentViewersGroup: { concurrentViewers: 31, dimensionName: "IT", metricValue: 33 },
  ComparisonItem: comparison,
  PlaybackError: playbackError,
  CreateExport: {
    timespan: ["7:days"],
    filterby: ["country:IT"],
    fields: ["viewId", "viewEnd", "videoTitle", "watchTime"],
    format: "csv",
    expiresIn: 86_400,
  },
  ListedViewExport: {
    exportId: EXPORT_ID,
    timespan: [1_778_936_714, 1_779_541_514],
    filterby: ["country:IT"],
    fields: ["viewId", "viewEnd", "videoTitle", "watchTime"],
    format: "csv",
    createdAt: "2026-05-20T13:05:14.907123Z",
    expiresAt: "2026-05-21T13:05:14.907123Z",
  },
  ViewExport: {
    exportId: EXPORT_ID,
    url: `https://api.example.com/exports/${EXPORT_ID}.csv?token=eyJhbGciOiJIUzI1NiJ9.eyJleHBvcnRJZCI6IjcifQ.c2lnbmF0dXJl`,
    expiresAt: "2026-05-21T13:05:14.907123Z",
    format: "csv",
    rows: 401,
  },
  RefusedReports: {
    reason: "no_view_id",
    description: "an event has no `veid`, or one that is not a UUID",
    count: 214,
    lastAt: "2026-05-20T12:50:15.662Z",
  },
  MediaEngagement: {
    mediaId: "7a1e5c94-2f0b-4d68-8c33-91b6e4f7a205",
    durationMs: 3000,
    intervalMs: 1000,
    totalViews: 40,
    intervals: [
      { startMs: 0, views: 40, share: 1, replays: 0 },
      { startMs: 1000, views: 38, share: 0.95, replays: 14 },
      { startMs: 2000, views: 30, share: 0.75, replays: 1 },
    ],
    hotspots: [{ startMs: 1000, endMs: 2000, plays: 52 }],
  },
  StreamEngagement: {
    streamId: "4f1a90c7d26e4b85a3f7108be59d62c4",
    intervalMs: 24_000,
    totalViews: 12,
    intervals: [{ startMs: 1_779_195_600_000, views: 9, share: 0.75, replays: 0 }],
    hotspots: [],
  },
  ForgottenViewer: { deletedViews: 12, remainingViews: 0 },
  RevokedExport: { message: "export is revoked" },
  CreateAlert: createAlert,
  UpdateAlert: { thresholdValue: 0.1, severity: "critical" },
  Alert: {
    id: ALERT_ID,
    ...createAlert,
    status: "triggered",
    triggeredAt: "2026-05-20T12:45:00.000000Z",
    lastBucket: { end: "2026-05-20T13:00:00.000000Z", views: 320, value: 0.125 },
    createdAt: "2026-05-18T09:12:44.031000Z",
    updatedAt: "2026-05-18T09:12:44.031000Z",
  },
  TopError: topError,
};

import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { IngestWarning } from "../../../protocol/ingest-warning.ts";
import type { LiveRendition, TargetState } from "../../../protocol/live.ts";
import type { KeySystem } from "../../media/cenc/content-key.ts";
import type { Metadata } from "../../media/types.ts";

/** The catalogue of streams. `status`, `audioOnly`, `ingestWarnings` and `deletedAt` are written by the stream machine's outbox alone. */
export const liveStreams = sqliteTable(
  "live_streams",
  {
    id: text().primaryKey(), // 32 hex
    workspaceId: text().notNull(),
    /** The three secrets, sealed together (see secrets.ts). Null in rows from before sealing: the secrets are in the columns below. */
    secrets: text(),
    streamKey: text().notNull(),
    srtSecret: text().notNull(),
    srtPlaybackSecret: text().notNull(),
    maxResolution: text({ enum: ["1080p", "720p", "480p"] }).notNull(),
    mediaPolicy: text({ enum: ["public", "private"] }).notNull(), // policy of recordings
    /** Those of the DRM configuration: broadcasts, recordings and clips are encrypted. Null = they are not. */
    keySystems: text({ mode: "json" }).$type<KeySystem[]>(),
    latencyMode: text({ enum: ["low", "standard"] }).notNull(),
    reconnectWindowS: integer().notNull(),
    maxDurationS: integer().notNull(), // 0 = unbounded
    enableDvrMode: integer({ mode: "boolean" }).notNull(),
    enableRecording: integer({ mode: "boolean" }).notNull(),
    /** A viewer's request for a clip window also creates an asset. */
    allowViewerClips: integer({ mode: "boolean" }).notNull().default(false),
    metadata: text({ mode: "json" }).$type<Metadata>().notNull(),

    status: text({ enum: ["idle", "preparing", "active", "disconnected", "disabled"] }).notNull(),
    /** The broadcast has no picture. */
    audioOnly: integer({ mode: "boolean" }).notNull().default(false),
    /** Of the last broadcast. */
    ingestWarnings: text({ mode: "json" }).$type<IngestWarning[]>().notNull().default([]),

    createdAt: integer({ mode: "timestamp_ms" }).notNull(),
    updatedAt: integer({ mode: "timestamp_ms" }).notNull(),
    /** Counts the changes of the record, so that an event contains the newest one. */
    revision: integer().notNull().default(0),
    /** The last outbox message of the machine that was applied to this row. Detects repeated messages. */
    machineSeq: integer().notNull().default(0),
    sweptAt: integer({ mode: "timestamp_ms" }),
    deletedAt: integer({ mode: "timestamp_ms" }), // a tombstone
  },
  (t) => [
    index("live_streams_in_workspace").on(t.workspaceId, t.createdAt, t.id),
    index("live_streams_by_status").on(t.status, t.sweptAt),
  ],
);

export type TargetReport = Pick<TargetState, "state" | "failure" | "at">;

/** Other platforms that receive the broadcast. */
export const simulcastTargets = sqliteTable(
  "simulcast_targets",
  {
    id: text().primaryKey(), // 32 hex
    streamId: text().notNull(),
    workspaceId: text().notNull(),
    url: text().notNull(),
    /** The other platform's key, sealed. Null in rows from before sealing: the key is in the column below. */
    sealedKey: text(),
    streamKey: text().notNull(),
    isEnabled: integer({ mode: "boolean" }).notNull(),
    metadata: text({ mode: "json" }).$type<Metadata>(),
    createdAt: integer({ mode: "timestamp_ms" }).notNull(),
    /** What the gateway last reported; null = nothing yet. */
    report: text({ mode: "json" }).$type<TargetReport>(),
  },
  (t) => [index("simulcast_targets_of_stream").on(t.streamId)],
);

/** Broadcasts: one row from the first connection to the definite end, reconnects included. Written by the stream machine's outbox. */
export const liveSessions = sqliteTable(
  "live_sessions",
  {
    id: text().primaryKey(), // UUID
    streamId: text().notNull(),
    workspaceId: text().notNull(),
    /** The asset of its recording; null = not recorded. The asset's row exists once the broadcast has started. */
    mediaId: text(),
    gatewayId: text().notNull(), // of the current connection
    protocol: text({ enum: ["rtmp", "rtmps", "srt", "http"] }).notNull(),
    latencyMode: text({ enum: ["low", "standard"] }).notNull(),
    partTargetMs: integer().notNull(),
    segmentMs: integer().notNull(),
    /** The renditions that the gateway last reported; null until the session has started. */
    renditions: text({ mode: "json" }).$type<LiveRendition[]>(),
    segments: integer().notNull(), // whole segments as of the last change of this row
    startedAt: integer({ mode: "timestamp_ms" }).notNull(),
    endedAt: integer({ mode: "timestamp_ms" }),
    endReason: text({ enum: ["finished", "disabled", "deleted", "max_duration", "window_over"] }),
  },
  (t) => [index("live_sessions_of_stream").on(t.streamId, t.startedAt)],
);

/** Ingest gateways as they registered themselves. A gateway without registration for 30 s counts as gone. */
export const ingestGateways = sqliteTable("ingest_gateways", {
  id: text().primaryKey(),
  rtmpUrl: text(),
  rtmpsUrl: text(),
  srtUrl: text(),
  httpUrl: text(), // null = it accepts no pushed broadcasts
  startedAt: integer({ mode: "timestamp_ms" }).notNull(),
  heardAt: integer({ mode: "timestamp_ms" }).notNull(),
});

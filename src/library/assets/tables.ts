import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Montage } from "../../media/edits/montage.ts";
import type { RequestedMark } from "../../media/edits/watermark.ts";
import type { LevelledSound, Metadata, Progress, SegmentList } from "../../media/types.ts";

/**
 * The catalogue of assets. The asset machine's outbox writes `status`, `stage`, the facts and `progress` (`projection.ts`). Recordings and
 * clips of live streams have no asset machine: `open-recording.ts` and `finish-recording.ts` write them.
 */
export const assets = sqliteTable(
  "assets",
  {
    id: text().primaryKey(),
    workspaceId: text().notNull(),
    title: text(),
    creatorId: text(),
    metadata: text({ mode: "json" }).$type<Metadata>().notNull(),
    accessPolicy: text({ enum: ["public", "private", "drm"] }).notNull(),
    maxResolution: text({ enum: ["2160p", "1440p", "1080p", "720p", "480p"] }).notNull(),
    mediaQuality: text({ enum: ["standard", "pro", "premium"] }).notNull(),
    sourceUrl: text().notNull(), // of a direct upload: `upload:{id}` (`sources/uploaded-source.ts`)
    clipStartMs: integer().notNull(),
    clipEndMs: integer(),
    /** Media of several ranges, whose source is the first file of the montage. Null = one range of the source. */
    montage: text({ mode: "json" }).$type<Montage>(),
    /** Burnt into every picture; null = none. */
    watermark: text({ mode: "json" }).$type<RequestedMark>(),
    streamId: text(), // recordings, and clips of streams: the live stream. The id of a recording is that of its session
    /** Clips: the recording or media that they were cut from. */
    sourceAssetId: text(),
    publicUrl: text().notNull(), // the origin of the request that created it; encoders call back there unless PUBLIC_URL is set

    /** `waiting`: of a direct upload that cannot play yet. It is found by its id, and not listed or counted. */
    status: text({ enum: ["waiting", "processing", "ready", "errored"] }).notNull(),
    stage: text({
      enum: ["created", "downloading", "validating", "encoding", "done"],
    }).notNull(),
    progress: text({ mode: "json" }).$type<Progress>(),
    containerFormat: text(),
    durationMs: integer(),
    widthPx: integer(),
    heightPx: integer(),
    frameRate: text(), // "30000/1001"
    errorCode: text(),
    errorMessage: text(),
    errorFault: text({ enum: ["source", "service"] }),

    /** The files that viewers may download; null = none. */
    mp4Support: text({ enum: ["capped_4k", "audioOnly", "audioOnly,capped_4k"] }),
    /** Viewers may download the original file. */
    sourceAccess: integer({ mode: "boolean" }).notNull().default(false),
    /** Its sounds are brought to one loudness. */
    optimizeAudio: integer({ mode: "boolean" }).notNull().default(false),
    /** What was measured of each sound, once it is ready; null = it was not. */
    loudness: text({ mode: "json" }).$type<LevelledSound[]>(),
    createdAt: integer({ mode: "timestamp_ms" }).notNull(),
    updatedAt: integer({ mode: "timestamp_ms" }).notNull(),
    /** Incremented by every change of the record, so that an event is committed only with the record that it shows. */
    revision: integer().notNull().default(0),
    startedAt: integer({ mode: "timestamp_ms" }), // null until the asset machine has started; recordings and clips: their creation
    /** Bytes of the stored source, and of stored pictures. Triggers count them as the workspace's storage until the asset is purged. */
    sourceBytes: integer().notNull().default(0),
    pictureBytes: integer().notNull().default(0),
    deletedAt: integer({ mode: "timestamp_ms" }), // a tombstone, kept until every byte is gone
    purgedAt: integer({ mode: "timestamp_ms" }),
  },
  (t) => [
    // Listed assets only, so that a distant page of a list is found in the index alone.
    index("assets_in_workspace")
      .on(t.workspaceId, t.createdAt, t.id)
      .where(sql`deleted_at IS NULL AND status <> 'waiting'`),
    // For the sweeps. Without `updatedAt`, so that progress reports do not write to it. Column names stay unqualified, as SQLite requires.
    index("assets_processing")
      .on(t.status, t.streamId)
      .where(sql`status = 'processing' AND deleted_at IS NULL`),
    index("assets_unpurged")
      .on(t.deletedAt)
      .where(sql`deleted_at IS NOT NULL AND purged_at IS NULL`),
    index("assets_of_stream").on(t.streamId, t.createdAt),
    index("assets_of_source").on(t.sourceAssetId, t.createdAt),
  ],
);

/** A literal, because SQLite does not match a bound parameter with the condition of `assets_processing`. */
export const isProcessing = sql`${assets.status} = 'processing'`;

/** The same for `assets_in_workspace`. */
export const isListed = sql`${assets.deletedAt} IS NULL AND ${assets.status} <> 'waiting'`;

/** The tracks of the source, as the REST record lists them. */
export const tracks = sqliteTable(
  "tracks",
  {
    id: text().primaryKey(),
    assetId: text().notNull(),
    position: integer().notNull(),
    kind: text({ enum: ["video", "audio"] }).notNull(),
    widthPx: integer(),
    heightPx: integer(),
    frameRate: text(),
    languageCode: text(),
    languageName: text(),
    title: text(),
  },
  (t) => [uniqueIndex("tracks_of_asset").on(t.assetId, t.position)],
);

/**
 * Manifests are rendered from these rows. A row exists once its rendition is playable. `isWhole`: all segments are listed and never
 * change; otherwise the list still grows at its end.
 */
export const renditions = sqliteTable(
  "renditions",
  {
    assetId: text().notNull(),
    name: text().notNull(), // path component: "v1080", "a1", "source-v", "source-a1"
    kind: text({ enum: ["video", "audio"] }).notNull(),
    /** `track`: an added audio track (`tracks/store/tables.ts`), offered while its track is available. */
    origin: text({ enum: ["ladder", "passthrough", "track"] }).notNull(),
    isWhole: integer({ mode: "boolean" }).notNull(),
    /** Passthrough only: the source's key frames lie on the ladder's grid, so it serves as the top rung and stays listed. */
    isTopRung: integer({ mode: "boolean" }).notNull().default(false),
    /** Passthrough of an upload that is still coming in: the segments whose bytes are stored. Null = all. */
    arrivedSegments: integer(),
    codec: text().notNull(), // RFC 6381
    widthPx: integer(),
    heightPx: integer(),
    frameRateNum: integer(),
    frameRateDen: integer(),
    channels: integer(),
    languageCode: text(),
    languageName: text(),
    isDefault: integer({ mode: "boolean" }).notNull().default(false),
    /** Sound that describes the picture for viewers who do not see it. */
    isDescription: integer({ mode: "boolean" }).notNull().default(false),
    timescale: integer().notNull(), // ticks per second; video: the frame rate's numerator, audio: the sample rate
    initBytes: integer().notNull(),
    segments: text({ mode: "json" }).$type<SegmentList>().notNull(),
  },
  (t) => [primaryKey({ columns: [t.assetId, t.name] })],
);

import { and, asc, eq, gt, inArray, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import { columnValues } from "../../platform/column-values.ts";
import type { Database, Statement } from "../../platform/database.ts";
import type { NewEvent } from "../../events/index.ts";
import { BLANK_ASSET } from "./blank-asset.ts";
import type { Asset, PlaybackId } from "./repository.ts";
import { insertPlaybackId, insertPlaybackIdIf } from "../../tenancy/access/index.ts";
import { assets } from "./tables.ts";
import { toMedia } from "./to-media.ts";

export interface NewRecording {
  /** The session's id for a recording. */
  mediaId: string;
  playbackId: string;
  eventId: string;
  streamId: string;
  workspaceId: string;
  publicUrl: string;
  maxResolution: Asset["maxResolution"];
  mediaPolicy: "public" | "private";
  /** Set if the stream has DRM: its recordings and clips are encrypted too. */
  keySystems: PlaybackId["keySystems"];
  atMs: number;
  /** Set for a clip of the session's (possible) recording; times are relative to the recording's start. */
  clip?: { sourceAssetId: string; startMs: number; endMs: number };
  /** Maximum number of clips of the stream per hour, including this one. Beyond it, the statements change nothing. */
  clipsPerHour?: number;
}

/** The rules that its playback ID begins with. */
type RecordingRules = Pick<PlaybackId, "accessRestrictions" | "resolution">;

/** The access policy of a recording or a clip. */
export const policyOf = ({
  keySystems,
  mediaPolicy,
}: Pick<NewRecording, "keySystems" | "mediaPolicy">): PlaybackId["accessPolicy"] =>
  keySystems === null ? mediaPolicy : "drm";

/** The statements and the event that create the asset of a recording or a clip. Idempotent. */
export function openRecording(
  db: Database,
  recording: NewRecording,
  rules: RecordingRules,
): {
  statements: Statement[];
  event: NewEvent;
} {
  const { mediaId: id, streamId, workspaceId, publicUrl, maxResolution, keySystems } = recording;
  const accessPolicy = policyOf(recording);
  const createdAt = new Date(recording.atMs);
  const playbackId: PlaybackId = {
    id: recording.playbackId,
    kind: "asset",
    targetId: id,
    workspaceId,
    accessPolicy,
    ...rules,
    keySystems,
    createdAt,
  };
  const { clip } = recording;
  const asset: Asset = {
    ...BLANK_ASSET,
    ...(clip && { sourceAssetId: clip.sourceAssetId, clipStartMs: clip.startMs, clipEndMs: clip.endMs }),
    mediaQuality: "standard",
    sourceUrl: "",
    stage: "encoding",
    id,
    workspaceId,
    streamId,
    accessPolicy,
    maxResolution,
    publicUrl,
    createdAt,
    updatedAt: createdAt,
    startedAt: createdAt,
  };
  const opened = toMedia({
    asset: { ...asset, stage: "created" },
    playbackIds: [playbackId],
    tracks: [],
    addedTracks: [],
    insights: [],
    isHeld: false,
  });
  const event: NewEvent = {
    id: recording.eventId,
    workspaceId,
    type: clip ? "video.media.live_clip.created" : "video.media.live_stream.created",
    objectId: id,
    occurredAtMs: recording.atMs,
    data: {
      id,
      streamId,
      workspaceId,
      status: opened.status,
      maxResolution,
      playbackIds: opened.playbackIds,
      createdAt: opened.createdAt,
    },
  };
  const { clipsPerHour } = recording;
  if (clipsPerHour !== undefined) {
    const mayBeMade = sql`(SELECT count(*) FROM ${assets} WHERE ${isRecentClip(streamId, recording.atMs)}) < ${clipsPerHour}`;
    return { statements: insertsUnderLimit(db, asset, playbackId, mayBeMade), event };
  }
  const statements = [
    insertPlaybackId(db, playbackId).onConflictDoNothing(),
    db.insert(assets).values(asset).onConflictDoNothing(),
  ];
  return { statements, event };
}

const HOUR_MS = 3600_000;

/** The number of clips of a stream that were made within the hour before `atMs`, deleted ones included. A query, for use in a batch. */
export const recentClips = (db: Database, streamId: string, atMs: number) =>
  db
    .select({ count: sql<number>`count(*)`.as("recent_clips") })
    .from(assets)
    .where(isRecentClip(streamId, atMs));

const isRecentClip = (streamId: string, atMs: number) =>
  and(eq(assets.streamId, streamId), isNotNull(assets.sourceAssetId), gt(assets.createdAt, new Date(atMs - HOUR_MS)));

/** Counted and inserted in one statement, so that concurrent requests cannot exceed the limit. The playback ID follows the asset. */
function insertsUnderLimit(db: Database, asset: Asset, playbackId: PlaybackId, mayBeMade: SQL): Statement[] {
  const isThere = sql`EXISTS (SELECT 1 FROM ${assets} WHERE id = ${asset.id})`;
  return [
    db
      .insert(assets)
      .select(sql`SELECT ${columnValues(assets, asset)} WHERE ${mayBeMade}`)
      .onConflictDoNothing(),
    insertPlaybackIdIf(db, playbackId, isThere),
  ];
}

/** A query, for use in a batch: the recordings of streams, without clips and deleted ones. */
export const recordingIdsOf = (db: Database, streamIds: string[]) =>
  db
    .select({ id: assets.id, streamId: assets.streamId })
    .from(assets)
    .where(and(inArray(assets.streamId, streamIds), isNull(assets.sourceAssetId), isNull(assets.deletedAt)))
    .orderBy(asc(assets.createdAt));

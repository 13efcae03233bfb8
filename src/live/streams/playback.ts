import { and, asc, desc, eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import type { LiveRendition } from "../../../protocol/live.ts";
import { assets } from "../../library/assets/index.ts";
import { type Database, openDatabase } from "../../platform/database.ts";
import { ACCESS_COLUMNS, type AccessRules, playbackIds } from "../../tenancy/access/index.ts";
import { liveSessions, liveStreams } from "./tables.ts";

/** The stream that a playback ID belongs to. */
export interface LivePlayable {
  streamId: string;
  /** Players may seek back to the start of the session. */
  hasDvr: boolean;
  /** Access policy of its recordings and clips. */
  mediaPolicy: "public" | "private";
  /** Its broadcasts, recordings and clips are encrypted. */
  hasDrm: boolean;
  /** A viewer's request for a clip window also creates an asset. */
  allowViewerClips: boolean;
  /** A broadcast ends after this long; null = no limit. */
  maxDurationMs: number | null;
  /** The session on air, or the last one; null before the first playable session. */
  session: { id: string; renditions: LiveRendition[]; startedAtMs: number; endedAtMs: number | null } | null;
}

/** For the stream's owner; null when the workspace has no such stream. */
export async function findOwnPlayable(
  binding: D1Database,
  { workspaceId, streamId }: { workspaceId: string; streamId: string },
): Promise<LivePlayable | null> {
  const db = openDatabase(binding);
  const isMine = and(eq(liveStreams.id, streamId), eq(liveStreams.workspaceId, workspaceId));
  const [streams, sessions] = await db.batch([
    db
      .select(PLAYABLE_COLUMNS)
      .from(liveStreams)
      .where(and(isMine, isNull(liveStreams.deletedAt))),
    newestSession(db, sql`${streamId}`),
  ]);
  const [stream] = streams;
  return stream === undefined ? null : toLivePlayable(stream, sessions);
}

export const PLAYABLE_COLUMNS = {
  streamId: liveStreams.id,
  hasDvr: liveStreams.enableDvrMode,
  mediaPolicy: liveStreams.mediaPolicy,
  hasDrm: sql<boolean>`${liveStreams.keySystems} IS NOT NULL`.mapWith(Boolean).as("has_drm"),
  allowViewerClips: liveStreams.allowViewerClips,
  maxDurationMs: sql<number | null>`nullif(${liveStreams.maxDurationS} * 1000, 0)`.as("max_duration_ms"),
};

/** A stream's playable session on air, or its last one; for a batch. @param streamId an SQL expression */
export const newestSession = (db: Database, streamId: SQL) =>
  db
    .select({
      id: liveSessions.id,
      renditions: liveSessions.renditions,
      startedAt: liveSessions.startedAt,
      endedAt: liveSessions.endedAt,
    })
    .from(liveSessions)
    .where(and(eq(liveSessions.streamId, streamId), isNotNull(liveSessions.renditions)))
    .orderBy(desc(liveSessions.startedAt))
    .limit(1);

export function toLivePlayable(
  stream: Omit<LivePlayable, "session">,
  [session]: Awaited<ReturnType<typeof newestSession>>,
): LivePlayable {
  if (session === undefined) return { ...stream, session: null };
  const { id, renditions, startedAt, endedAt } = session;
  const times = { startedAtMs: startedAt.getTime(), endedAtMs: endedAt?.getTime() ?? null };
  return { ...stream, session: { id, renditions: renditions ?? [], ...times } };
}

export interface LiveSession {
  sessionId: string;
  startedAtMs: number;
  /** Null = on air. */
  endedAtMs: number | null;
  streamId: string;
  hasDvr: boolean;
  maxDurationMs: number | null;
  renditions: LiveRendition[];
  /** Access rules of the playback ID. */
  rules: AccessRules;
  /** When the playback ID was created, epoch ms. */
  rulesSinceMs: number;
  /** Null = it is not recorded. */
  recording: RecordingRules | null;
}

/** The access rules of a recording, one for each of its playback IDs, oldest first. A deleted recording has none. */
export type RecordingRules = readonly AccessRules[];

/** Null when the session does not belong to the playback ID's stream. */
export async function findLiveSession(
  binding: D1Database,
  playbackId: string,
  sessionId: string,
): Promise<LiveSession | null> {
  const db = openDatabase(binding);
  const [rows, recording] = await db.batch([
    db
      .select({
        sessionId: liveSessions.id,
        streamId: sql<string>`${liveStreams.id}`.as("stream_id"),
        hasDvr: PLAYABLE_COLUMNS.hasDvr,
        maxDurationMs: PLAYABLE_COLUMNS.maxDurationMs,
        mediaId: liveSessions.mediaId,
        renditions: liveSessions.renditions,
        startedAt: liveSessions.startedAt,
        endedAt: liveSessions.endedAt,
        rules: ACCESS_COLUMNS,
        rulesSince: playbackIds.createdAt,
      })
      .from(playbackIds)
      .innerJoin(liveStreams, eq(liveStreams.id, playbackIds.targetId))
      .innerJoin(liveSessions, eq(liveSessions.streamId, liveStreams.id))
      .where(and(eq(playbackIds.id, playbackId), isNull(liveStreams.deletedAt), eq(liveSessions.id, sessionId))),
    recordingRules(db, sessionId),
  ]);
  const [row] = rows;
  if (row === undefined) return null;
  const { mediaId, startedAt, endedAt, rulesSince, renditions, ...session } = row;
  return {
    ...session,
    renditions: renditions ?? [],
    startedAtMs: startedAt.getTime(),
    endedAtMs: endedAt?.getTime() ?? null,
    rulesSinceMs: rulesSince.getTime(),
    recording: mediaId === null ? null : recording,
  };
}

/** The access rules of a session's recording; null when it is not recorded. */
export async function findRecordingRules(binding: D1Database, sessionId: string): Promise<RecordingRules | null> {
  const db = openDatabase(binding);
  const isRecorded = and(eq(liveSessions.id, sessionId), isNotNull(liveSessions.mediaId));
  const [recorded, rules] = await db.batch([
    db.select({ id: liveSessions.id }).from(liveSessions).where(isRecorded),
    recordingRules(db, sessionId),
  ]);
  return recorded.length === 0 ? null : rules;
}

/** For a batch. A recording has the id of its session. */
const recordingRules = (db: Database, sessionId: string) =>
  db
    .select(ACCESS_COLUMNS)
    .from(playbackIds)
    .innerJoin(assets, eq(assets.id, playbackIds.targetId))
    .where(and(eq(playbackIds.targetId, sessionId), isNull(assets.deletedAt)))
    .orderBy(asc(playbackIds.createdAt));

/** Whether the session is a broadcast of the stream. */
export const isSessionOf = async (db: Database, streamId: string, sessionId: string): Promise<boolean> =>
  (await db.$count(liveSessions, and(eq(liveSessions.id, sessionId), eq(liveSessions.streamId, streamId)))) > 0;

import { and, desc, eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import type { LiveRendition } from "../../../protocol/live.ts";
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
  /** The session on air, or the last one; null before the first playable session. */
  session: { id: string; renditions: LiveRendition[]; endedAtMs: number | null } | null;
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
};

/** A stream's playable session on air, or its last one; for a batch. @param streamId an SQL expression */
export const newestSession = (db: Database, streamId: SQL) =>
  db
    .select({ id: liveSessions.id, renditions: liveSessions.renditions, endedAt: liveSessions.endedAt })
    .from(liveSessions)
    .where(and(eq(liveSessions.streamId, streamId), isNotNull(liveSessions.renditions)))
    .orderBy(desc(liveSessions.startedAt))
    .limit(1);

export function toLivePlayable(
  stream: Omit<LivePlayable, "session">,
  [session]: Awaited<ReturnType<typeof newestSession>>,
): LivePlayable {
  if (session === undefined) return { ...stream, session: null };
  const { id, renditions, endedAt } = session;
  return { ...stream, session: { id, renditions: renditions ?? [], endedAtMs: endedAt?.getTime() ?? null } };
}

export interface LiveSession {
  sessionId: string;
  hasEnded: boolean;
  streamId: string;
  hasDvr: boolean;
  renditions: LiveRendition[];
  /** Access rules of the playback ID. */
  rules: AccessRules;
}

/** Null when the session does not belong to the playback ID's stream. */
export async function findLiveSession(
  binding: D1Database,
  playbackId: string,
  sessionId: string,
): Promise<LiveSession | null> {
  const rows = await openDatabase(binding)
    .select({
      sessionId: liveSessions.id,
      streamId: liveStreams.id,
      hasDvr: liveStreams.enableDvrMode,
      renditions: liveSessions.renditions,
      endedAt: liveSessions.endedAt,
      rules: ACCESS_COLUMNS,
    })
    .from(playbackIds)
    .innerJoin(liveStreams, eq(liveStreams.id, playbackIds.targetId))
    .innerJoin(liveSessions, eq(liveSessions.streamId, liveStreams.id))
    .where(and(eq(playbackIds.id, playbackId), isNull(liveStreams.deletedAt), eq(liveSessions.id, sessionId)));
  const [row] = rows;
  if (row === undefined) return null;
  const { endedAt, renditions, ...session } = row;
  return { ...session, renditions: renditions ?? [], hasEnded: endedAt !== null };
}

/** Whether the session is a broadcast of the stream. */
export const isSessionOf = async (db: Database, streamId: string, sessionId: string): Promise<boolean> =>
  (await db.$count(liveSessions, and(eq(liveSessions.id, sessionId), eq(liveSessions.streamId, streamId)))) > 0;

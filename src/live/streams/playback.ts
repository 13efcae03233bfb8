import { and, desc, eq, isNotNull, isNull } from "drizzle-orm";
import type { LiveRendition } from "../../../protocol/live.ts";
import { type Database, openDatabase } from "../../platform/database.ts";
import { livePlaybackIds, liveSessions, liveStreams } from "./tables.ts";

/** What stands behind a playback id of a stream. */
export interface LivePlayable {
  streamId: string;
  /** Players may go back to the beginning of the session. */
  hasDvr: boolean;
  /** Access to its recordings and clips. */
  mediaPolicy: "public" | "private";
  /** A clip window that a viewer asks for also becomes a media. */
  allowViewerClips: boolean;
  /** The session on air, or the last one; null before there was any that could be watched. */
  session: { id: string; renditions: LiveRendition[]; endedAtMs: number | null } | null;
}

/** Null for a playback id that is none of a stream, or of a deleted one. */
export async function findLivePlayable(binding: D1Database, playbackId: string): Promise<LivePlayable | null> {
  const db = openDatabase(binding);
  const [stream] = await db
    .select(OF_STREAM)
    .from(livePlaybackIds)
    .innerJoin(liveStreams, eq(liveStreams.id, livePlaybackIds.streamId))
    .where(
      and(
        eq(livePlaybackIds.id, playbackId),
        eq(livePlaybackIds.accessPolicy, "public"),
        isNull(liveStreams.deletedAt),
      ),
    );
  return stream === undefined ? null : await withSession(db, stream);
}

/** The same for the stream's owner; null when the workspace has no such stream. */
export async function findOwnPlayable(
  binding: D1Database,
  { workspaceId, streamId }: { workspaceId: string; streamId: string },
): Promise<LivePlayable | null> {
  const db = openDatabase(binding);
  const isMine = and(eq(liveStreams.id, streamId), eq(liveStreams.workspaceId, workspaceId));
  const [stream] = await db
    .select(OF_STREAM)
    .from(liveStreams)
    .where(and(isMine, isNull(liveStreams.deletedAt)));
  return stream === undefined ? null : await withSession(db, stream);
}

const OF_STREAM = {
  streamId: liveStreams.id,
  hasDvr: liveStreams.enableDvrMode,
  mediaPolicy: liveStreams.mediaPolicy,
  allowViewerClips: liveStreams.allowViewerClips,
};

async function withSession(db: Database, stream: Omit<LivePlayable, "session">): Promise<LivePlayable> {
  const [session] = await db
    .select({
      id: liveSessions.id,
      renditions: liveSessions.renditions,
      endedAt: liveSessions.endedAt,
    })
    .from(liveSessions)
    .where(and(eq(liveSessions.streamId, stream.streamId), isNotNull(liveSessions.renditions)))
    .orderBy(desc(liveSessions.startedAt))
    .limit(1);
  return {
    ...stream,
    session: session
      ? {
          id: session.id,
          renditions: session.renditions ?? [],
          endedAtMs: session.endedAt?.getTime() ?? null,
        }
      : null,
  };
}

export interface LiveSession {
  sessionId: string;
  hasEnded: boolean;
  streamId: string;
  hasDvr: boolean;
}

/** Null when the session is none of the stream that a playback id names. */
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
      endedAt: liveSessions.endedAt,
    })
    .from(livePlaybackIds)
    .innerJoin(liveStreams, eq(liveStreams.id, livePlaybackIds.streamId))
    .innerJoin(liveSessions, eq(liveSessions.streamId, liveStreams.id))
    .where(
      and(
        eq(livePlaybackIds.id, playbackId),
        eq(livePlaybackIds.accessPolicy, "public"),
        isNull(liveStreams.deletedAt),
        eq(liveSessions.id, sessionId),
      ),
    );
  const [row] = rows;
  if (row === undefined) return null;
  const { endedAt, ...session } = row;
  return { ...session, hasEnded: endedAt !== null };
}

import { and, desc, eq, isNotNull, isNull } from "drizzle-orm";
import type { LiveRendition } from "../../encoder/live/protocol.ts";
import { openDatabase } from "../database.ts";
import { livePlaybackIds, liveSessions, liveStreams } from "./tables.ts";

/** What stands behind a playback id of a stream. */
export interface LivePlayable {
  streamId: string;
  /** The session on air, or the last one; null before there was any that could be watched. */
  session: { id: string; renditions: LiveRendition[]; hasEnded: boolean } | null;
}

/** Null for a playback id that is none of a stream, or of a deleted one. */
export async function findLivePlayable(binding: D1Database, playbackId: string): Promise<LivePlayable | null> {
  const db = openDatabase(binding);
  const streams = await db
    .select({ id: liveStreams.id })
    .from(livePlaybackIds)
    .innerJoin(liveStreams, eq(liveStreams.id, livePlaybackIds.streamId))
    .where(
      and(
        eq(livePlaybackIds.id, playbackId),
        eq(livePlaybackIds.accessPolicy, "public"),
        isNull(liveStreams.deletedAt),
      ),
    );
  const streamId = streams[0]?.id;
  if (streamId === undefined) return null;
  const [session] = await db
    .select({ id: liveSessions.id, renditions: liveSessions.renditions, endedAt: liveSessions.endedAt })
    .from(liveSessions)
    .where(and(eq(liveSessions.streamId, streamId), isNotNull(liveSessions.renditions)))
    .orderBy(desc(liveSessions.startedAt))
    .limit(1);
  return {
    streamId,
    session: session
      ? { id: session.id, renditions: session.renditions ?? [], hasEnded: session.endedAt !== null }
      : null,
  };
}

/** Whether a session belongs to the stream that a playback id names. */
export async function isSessionOf(binding: D1Database, playbackId: string, sessionId: string): Promise<boolean> {
  const rows = await openDatabase(binding)
    .select({ id: liveSessions.id })
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
  return rows.length > 0;
}

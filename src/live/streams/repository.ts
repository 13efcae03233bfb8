import { and, asc, count, desc, eq, gt, inArray, isNull, lt, or, sql } from "drizzle-orm";
import { GATEWAY_LEASE_MS } from "../../../protocol/live.ts";
import { recordingIdsOf } from "../../library/assets/index.ts";
import { type Database, openDatabase, type Statement } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { type LiveStream, openStream, openTarget, showStream, showTarget, type SimulcastTarget } from "./secrets.ts";
import { insertPlaybackId, type PlaybackId, playbackIdsOf } from "../../tenancy/access/index.ts";
import { ingestGateways, liveSessions, liveStreams, simulcastTargets } from "./tables.ts";

export type { LiveStream, SimulcastTarget } from "./secrets.ts";
export type LiveSession = typeof liveSessions.$inferSelect;

/** A stream with the other rows that its REST record contains. */
export interface StreamRecord {
  stream: LiveStream;
  playbackIds: PlaybackId[];
  targets: SimulcastTarget[];
  /** Its recordings, oldest first. */
  mediaIds: string[];
}

const isAlive = isNull(liveStreams.deletedAt);

/** The targets of these streams, oldest first. */
const targetsOf = (db: Database, streamIds: string[]) =>
  db
    .select()
    .from(simulcastTargets)
    .where(inArray(simulcastTargets.streamId, streamIds))
    .orderBy(asc(simulcastTargets.createdAt));

/** The stream and its playback ID, for one commit. */
export const streamInserts = (
  db: Database,
  stream: typeof liveStreams.$inferInsert,
  playbackId: PlaybackId,
): Statement[] => [db.insert(liveStreams).values(stream), insertPlaybackId(db, playbackId)];

/**
 * @param workspaceId null = any workspace, for the service's own operations
 * @param opens the secrets that must be decryptable; others that are not are `redacted`
 * @throws {Problem} unavailable
 */
export async function findStream(
  env: Env,
  workspaceId: string | null,
  id: string,
  { opens }: { opens?: "stream" | "targets" } = {},
): Promise<StreamRecord | null> {
  const db = openDatabase(env.DB);
  const isMine = workspaceId === null ? undefined : eq(liveStreams.workspaceId, workspaceId);
  const [found, ids, targets, recordings] = await db.batch([
    db
      .select()
      .from(liveStreams)
      .where(and(eq(liveStreams.id, id), isMine, isAlive)),
    playbackIdsOf(db, [id]),
    targetsOf(db, [id]),
    recordingIdsOf(db, [id]),
  ]);
  const [stream] = found;
  if (stream === undefined) return null;
  return {
    stream: await (opens === "stream" ? openStream : showStream)(env, stream),
    playbackIds: ids,
    targets: await Promise.all(targets.map((target) => (opens === "targets" ? openTarget : showTarget)(env, target))),
    mediaIds: recordings.map((row) => row.id),
  };
}

/** One playback ID of a stream; null when the stream or the ID does not exist. */
export async function findPlaybackId(
  env: Env,
  { workspaceId, streamId }: { workspaceId: string; streamId: string },
  playbackId: string,
): Promise<PlaybackId | null> {
  const record = await findStream(env, workspaceId, streamId);
  return record?.playbackIds.find(({ id }) => id === playbackId) ?? null;
}

/** @param page counts from 1 */
export async function listStreams(
  env: Env,
  workspaceId: string,
  { page, limit, order }: { page: number; limit: number; order: "asc" | "desc" },
): Promise<{ records: StreamRecord[]; total: number }> {
  const db = openDatabase(env.DB);
  const mine = and(eq(liveStreams.workspaceId, workspaceId), isAlive);
  const direction = order === "asc" ? asc : desc;
  const [rows, totals] = await db.batch([
    db
      .select()
      .from(liveStreams)
      .where(mine)
      .orderBy(direction(liveStreams.createdAt), direction(liveStreams.id))
      .limit(limit)
      .offset((page - 1) * limit),
    db.select({ total: count() }).from(liveStreams).where(mine),
  ]);
  const ids = rows.map(({ id }) => id);
  const [playback, targetRows, recordings] = await db.batch([
    playbackIdsOf(db, ids),
    targetsOf(db, ids),
    recordingIdsOf(db, ids),
  ]);
  const targets = await Promise.all(targetRows.map((target) => showTarget(env, target)));
  const records = await Promise.all(
    rows.map(async (row) => ({
      stream: await showStream(env, row),
      playbackIds: playback.filter(({ targetId }) => targetId === row.id),
      targets: targets.filter(({ streamId }) => streamId === row.id),
      mediaIds: recordings.filter(({ streamId }) => streamId === row.id).map(({ id }) => id),
    })),
  );
  return { records, total: totals[0]?.total ?? 0 };
}

/** Changed columns of a row. Secrets only in sealed form. */
export type StreamColumns = Partial<typeof liveStreams.$inferInsert>;

/** A statement that changes nothing when the record has changed since it was read. */
export const changeSeen = (db: Database, seen: LiveStream, change: StreamColumns) =>
  db
    .update(liveStreams)
    .set({ ...change, revision: sql`${liveStreams.revision} + 1` })
    .where(and(eq(liveStreams.id, seen.id), eq(liveStreams.revision, seen.revision), isAlive));

/** SQL condition: the record is unchanged since it was read. */
export const isStill = (seen: LiveStream) =>
  sql`EXISTS (SELECT 1 FROM ${liveStreams} WHERE id = ${seen.id} AND revision = ${seen.revision} AND deleted_at IS NULL)`;

export async function saveSession(db: Database, session: LiveSession): Promise<void> {
  await db.insert(liveSessions).values(session).onConflictDoUpdate({ target: liveSessions.id, set: session });
}

export async function streamIdOfSession(db: Database, sessionId: string): Promise<string | null> {
  const [row] = await db
    .select({ streamId: liveSessions.streamId })
    .from(liveSessions)
    .where(eq(liveSessions.id, sessionId));
  return row?.streamId ?? null;
}

export async function saveGateway(db: Database, gateway: typeof ingestGateways.$inferInsert): Promise<void> {
  await db.insert(ingestGateways).values(gateway).onConflictDoUpdate({ target: ingestGateways.id, set: gateway });
}

/** Gateways that registered within their lease, the newest first. */
export const livingGateways = (db: Database, now: Date) =>
  db
    .select()
    .from(ingestGateways)
    .where(gt(ingestGateways.heardAt, new Date(now.getTime() - GATEWAY_LEASE_MS)))
    .orderBy(desc(ingestGateways.startedAt), asc(ingestGateways.id))
    .limit(20);

/** Takes streams on air that were not swept since `before`, the longest ago first, and marks them as swept. */
export async function takeUnswept(db: Database, before: Date, now: Date, limit: number): Promise<string[]> {
  const isUnswept = and(
    inArray(liveStreams.status, ["preparing", "active", "disconnected"]),
    lt(liveStreams.updatedAt, before),
    or(isNull(liveStreams.sweptAt), lt(liveStreams.sweptAt, before)),
    isAlive,
  );
  const chosen = db
    .select({ id: liveStreams.id })
    .from(liveStreams)
    .where(isUnswept)
    .orderBy(asc(liveStreams.sweptAt))
    .limit(limit);
  const rows = await db
    .update(liveStreams)
    .set({ sweptAt: now })
    .where(inArray(liveStreams.id, chosen))
    .returning({ id: liveStreams.id });
  return rows.map(({ id }) => id);
}

export const forgetGateways = (db: Database, heardBefore: Date) =>
  db.delete(ingestGateways).where(lt(ingestGateways.heardAt, heardBefore));

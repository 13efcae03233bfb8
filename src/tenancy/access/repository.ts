/** Queries and changes of `playback_ids`, most of them statements for a caller's batch. No other room writes the table. */
import { and, asc, eq, inArray, type SQL, sql } from "drizzle-orm";
import { columnValues } from "../../platform/column-values.ts";
import type { Database } from "../../platform/database.ts";
import { playbackHolds, playbackIds } from "./tables.ts";

export type PlaybackId = typeof playbackIds.$inferSelect;

/** A playback ID without restrictions and without DRM. */
export const UNRESTRICTED = {
  accessRestrictions: null,
  resolution: null,
  keySystems: null,
} satisfies Partial<PlaybackId>;

/** What decides who may play. Every look-up of a playback ID has it. */
export type AccessRules = Pick<
  PlaybackId,
  "workspaceId" | "accessPolicy" | "keySystems" | "accessRestrictions" | "resolution"
> & {
  playbackId: string;
  /** Moderation holds what it plays. */
  isHeld: boolean;
};

/** The columns of `AccessRules`, with names of their own: a D1 batch returns only one of several columns of the same name. */
export const ACCESS_COLUMNS = {
  playbackId: sql<string>`${playbackIds.id}`.as("access_playback_id"),
  workspaceId: sql<string>`${playbackIds.workspaceId}`.as("access_workspace_id"),
  accessPolicy: playbackIds.accessPolicy,
  keySystems: playbackIds.keySystems,
  accessRestrictions: playbackIds.accessRestrictions,
  resolution: playbackIds.resolution,
  isHeld:
    sql<boolean>`EXISTS (SELECT 1 FROM ${playbackHolds} WHERE ${playbackHolds.targetId} = ${playbackIds.targetId})`
      .mapWith(Boolean)
      .as("access_is_held"),
};

/** Playback IDs of assets or streams, oldest first. */
export const playbackIdsOf = (db: Database, targetIds: string[]) =>
  db.select().from(playbackIds).where(inArray(playbackIds.targetId, targetIds)).orderBy(asc(playbackIds.createdAt));

export const insertPlaybackId = (db: Database, playbackId: PlaybackId) => db.insert(playbackIds).values(playbackId);

/** Inserts the playback ID when the condition holds and the ID does not exist yet. */
export const insertPlaybackIdIf = (db: Database, playbackId: PlaybackId, condition: SQL) =>
  db
    .insert(playbackIds)
    .select(sql`SELECT ${columnValues(playbackIds, playbackId)} WHERE ${condition}`)
    .onConflictDoNothing();

/** The access policy of a playback ID, of an asset or a stream; null when the workspace has no such ID. */
export async function findOwnPolicy(
  db: Database,
  workspaceId: string,
  id: string,
): Promise<PlaybackId["accessPolicy"] | null> {
  const [found] = await db
    .select({ accessPolicy: playbackIds.accessPolicy })
    .from(playbackIds)
    .where(and(eq(playbackIds.id, id), eq(playbackIds.workspaceId, workspaceId)));
  return found?.accessPolicy ?? null;
}

/** Replaces the restrictions of the playback ID when the condition holds. */
export const restrictPlaybackIdIf = (
  db: Database,
  id: string,
  accessRestrictions: PlaybackId["accessRestrictions"],
  condition: SQL,
) =>
  db
    .update(playbackIds)
    .set({ accessRestrictions })
    .where(and(eq(playbackIds.id, id), condition));

/** Deletes the playback ID when the condition holds. */
export const deletePlaybackIdIf = (db: Database, id: string, condition: SQL) =>
  db.delete(playbackIds).where(and(eq(playbackIds.id, id), condition));

/** Deletes every playback ID of an asset or a stream. */
export const deletePlaybackIdsOf = (db: Database, targetId: string) =>
  db.delete(playbackIds).where(eq(playbackIds.targetId, targetId));

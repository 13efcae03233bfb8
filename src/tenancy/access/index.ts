import { asc, eq, getTableColumns, inArray, sql } from "drizzle-orm";
import type { Database } from "../../platform/database.ts";
import { playbackIds } from "./tables.ts";

export { playbackIds };

/** The condition under which a playback ID plays for anybody. Every look-up of one has it; access rules extend it here. */
export const isPublicId = () => eq(playbackIds.accessPolicy, "public");

export type PlaybackId = typeof playbackIds.$inferSelect;
/** Streams have no DRM (contract/rest.md §6). */
export type StreamPlaybackId = Omit<PlaybackId, "accessPolicy"> & { accessPolicy: "public" | "private" };

/** Playback IDs of assets, oldest first; a statement for a batch. */
export const playbackIdsOf = (db: Database, targetIds: string[]) =>
  db.select().from(playbackIds).where(inArray(playbackIds.targetId, targetIds)).orderBy(asc(playbackIds.createdAt));

/** The same for streams. */
export const streamPlaybackIdsOf = (db: Database, streamIds: string[]) =>
  db
    .select({
      ...getTableColumns(playbackIds),
      accessPolicy: sql<StreamPlaybackId["accessPolicy"]>`${playbackIds.accessPolicy}`,
    })
    .from(playbackIds)
    .where(inArray(playbackIds.targetId, streamIds))
    .orderBy(asc(playbackIds.createdAt));

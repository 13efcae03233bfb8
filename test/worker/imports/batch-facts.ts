/** What batches leave behind in D1. */
import { env } from "cloudflare:test";
import { and, asc, eq, isNull } from "drizzle-orm";
import { events } from "../../../src/events/tables.ts";
import { migratedPlaybackIds } from "../../../src/imports/store/tables.ts";
import { assets } from "../../../src/library/assets/tables.ts";
import { openDatabase } from "../../../src/platform/database.ts";

/** Media of a workspace that were not deleted. */
export const mediaOf = (workspaceId: string) =>
  openDatabase(env.DB)
    .select()
    .from(assets)
    .where(and(eq(assets.workspaceId, workspaceId), isNull(assets.deletedAt)));

/** Events of a batch, in order. */
export async function eventsOf(batchId: string): Promise<{ type: string; data: Record<string, unknown> }[]> {
  const rows = await openDatabase(env.DB)
    .select()
    .from(events)
    .where(eq(events.objectId, batchId))
    .orderBy(asc(events.createdAt));
  return rows.map(({ type, body }) => ({
    type: type.replace("migration.batch.", ""),
    data: (JSON.parse(body.replace(/^(?!\{)/, "{")) as { data: Record<string, unknown> }).data,
  }));
}

export const typesOf = async (batchId: string) => (await eventsOf(batchId)).map(({ type }) => type);

/** Old playback ID → the media that it leads to. */
export async function oldIdsOf(workspaceId: string): Promise<Record<string, string>> {
  const rows = await openDatabase(env.DB)
    .select()
    .from(migratedPlaybackIds)
    .where(eq(migratedPlaybackIds.workspaceId, workspaceId));
  return Object.fromEntries(rows.map(({ oldPlaybackId, mediaId }) => [oldPlaybackId, mediaId]));
}

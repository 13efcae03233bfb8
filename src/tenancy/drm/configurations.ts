/** Queries and changes of `drm_configurations`. */
import { and, asc, desc, eq, sql } from "drizzle-orm";
import { KEY_SYSTEMS, type KeySystem } from "../../media/cenc/content-key.ts";
import { derivedId } from "../../platform/crypto/derived-id.ts";
import type { Database } from "../../platform/database.ts";
import { drmConfigurations } from "./tables.ts";

export type DrmConfiguration = typeof drmConfigurations.$inferSelect;

/**
 * The workspace's configuration for these key systems. Its id derives from them, so a workspace has one for each combination, and a repeated
 * creation finds the first one.
 */
export async function ensureConfiguration(
  db: Database,
  workspaceId: string,
  keySystems: KeySystem[],
  now: Date,
): Promise<DrmConfiguration> {
  const sorted = KEY_SYSTEMS.filter((keySystem) => keySystems.includes(keySystem));
  const id = await derivedId("DRM configuration", workspaceId, ...sorted);
  await db
    .insert(drmConfigurations)
    .values({ id, workspaceId, keySystems: sorted, createdAt: now })
    .onConflictDoNothing();
  return (await findConfiguration(db, workspaceId, id))!;
}

/** @param id null = the workspace's oldest one */
export async function findConfiguration(
  db: Database,
  workspaceId: string,
  id: string | null,
): Promise<DrmConfiguration | null> {
  const isOwn = eq(drmConfigurations.workspaceId, workspaceId);
  const [found] = await db
    .select()
    .from(drmConfigurations)
    .where(id === null ? isOwn : and(isOwn, eq(drmConfigurations.id, id)))
    .orderBy(asc(drmConfigurations.createdAt), asc(drmConfigurations.id))
    .limit(1);
  return found ?? null;
}

/** Newest first. @param page counts from 1 */
export async function listConfigurations(
  db: Database,
  workspaceId: string,
  { page, limit }: { page: number; limit: number },
): Promise<{ configurations: DrmConfiguration[]; total: number }> {
  const isOwn = eq(drmConfigurations.workspaceId, workspaceId);
  const [configurations, counted] = await db.batch([
    db
      .select()
      .from(drmConfigurations)
      .where(isOwn)
      .orderBy(desc(drmConfigurations.createdAt), desc(drmConfigurations.id))
      .limit(limit)
      .offset((page - 1) * limit),
    db
      .select({ total: sql<number>`count(*)` })
      .from(drmConfigurations)
      .where(isOwn),
  ]);
  return { configurations, total: counted[0]?.total ?? 0 };
}

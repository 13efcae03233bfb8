/** Queries and changes of `view_exports`. No other room writes the table. */
import { and, desc, eq, gt, lt } from "drizzle-orm";
import { type Database, openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { viewExports } from "./tables.ts";

export type ViewExport = typeof viewExports.$inferSelect;

export const insertExport = (db: Database, row: ViewExport) => db.insert(viewExports).values(row);

/** Exports that can still be downloaded. */
const areLive = (workspaceId: string, now: Date) =>
  and(eq(viewExports.workspaceId, workspaceId), gt(viewExports.expiresAt, now));

export const countExports = (db: Database, workspaceId: string, now: Date): Promise<number> =>
  db.$count(viewExports, areLive(workspaceId, now));

/** One page of the exports that can still be downloaded, newest first. */
export const listExports = (
  db: Database,
  workspaceId: string,
  { page, limit, now }: { page: number; limit: number; now: Date },
): Promise<ViewExport[]> =>
  db
    .select()
    .from(viewExports)
    .where(areLive(workspaceId, now))
    .orderBy(desc(viewExports.createdAt), desc(viewExports.id))
    .limit(limit)
    .offset((page - 1) * limit);

export async function findExport(db: Database, id: string): Promise<ViewExport | null> {
  const [found] = await db.select().from(viewExports).where(eq(viewExports.id, id));
  return found ?? null;
}

/** @returns null when the workspace has no such export */
export async function deleteExport(db: Database, workspaceId: string, id: string): Promise<{ id: string } | null> {
  const [deleted] = await db
    .delete(viewExports)
    .where(and(eq(viewExports.id, id), eq(viewExports.workspaceId, workspaceId)))
    .returning({ id: viewExports.id });
  return deleted ?? null;
}

/** Deletes the exports that have expired. */
export async function sweepExports(env: Env, now: Date): Promise<void> {
  await openDatabase(env.DB).delete(viewExports).where(lt(viewExports.expiresAt, now));
}

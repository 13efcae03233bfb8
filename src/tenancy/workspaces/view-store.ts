import { and, eq, ne } from "drizzle-orm";
import type { Database } from "../../platform/database.ts";
import { workspaces } from "./tables.ts";

/** Which engine has the views of a workspace. */
export type ViewStoreState = typeof workspaces.$inferSelect.viewStore;

export async function findViewStore(db: Database, workspaceId: string): Promise<ViewStoreState> {
  const [row] = await db
    .select({ viewStore: workspaces.viewStore })
    .from(workspaces)
    .where(eq(workspaces.id, workspaceId));
  return row?.viewStore ?? "embedded";
}

/** Workspaces whose final views are copied to the distributed engine, or back. */
export const listCopied = (db: Database) =>
  db
    .select({ workspaceId: workspaces.id, viewStore: workspaces.viewStore })
    .from(workspaces)
    .where(ne(workspaces.viewStore, "embedded"));

const ENDS = { moving: "distributed", returning: "embedded" } as const;

/**
 * How far the copying is. Nothing changes unless the workspace is still copied in that direction.
 *
 * @param of `isDone`: the engine to which the views are copied has them all
 */
export const storeMove = (
  db: Database,
  workspaceId: string,
  of: { direction: keyof typeof ENDS; progress: string; isDone: boolean },
) =>
  db
    .update(workspaces)
    .set({ viewStoreProgress: of.progress, ...(of.isDone ? { viewStore: ENDS[of.direction] } : {}) })
    .where(and(eq(workspaces.id, workspaceId), eq(workspaces.viewStore, of.direction)));

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

/** Workspaces whose final views are handed over to the distributed engine. */
export const listHandingOver = (db: Database) =>
  db
    .select({ workspaceId: workspaces.id, viewStore: workspaces.viewStore })
    .from(workspaces)
    .where(ne(workspaces.viewStore, "embedded"));

/** @param isDone the distributed engine has all final views; nothing changes unless the workspace is still moving */
export const storeMove = (db: Database, workspaceId: string, progress: string, isDone: boolean) =>
  db
    .update(workspaces)
    .set({ viewStoreProgress: progress, ...(isDone ? { viewStore: "distributed" as const } : {}) })
    .where(and(eq(workspaces.id, workspaceId), eq(workspaces.viewStore, "moving")));

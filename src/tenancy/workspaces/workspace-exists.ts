import { eq } from "drizzle-orm";
import { openDatabase } from "../../platform/database.ts";
import { workspaces } from "./tables.ts";

/** Whether a workspace exists. */
export async function workspaceExists(binding: D1Database, id: string): Promise<boolean> {
  const [row] = await openDatabase(binding).select({ id: workspaces.id }).from(workspaces).where(eq(workspaces.id, id));
  return row !== undefined;
}

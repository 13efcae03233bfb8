import { eq } from "drizzle-orm";
import type { Database } from "../../platform/database.ts";
import { workspaceUsage } from "./tables.ts";

export type Usage = Pick<
  typeof workspaceUsage.$inferSelect,
  "mediaCount" | "streamCount" | "uploadCount" | "storedBytes"
>;

const UNUSED: Usage = { mediaCount: 0, streamCount: 0, uploadCount: 0, storedBytes: 0 };

export async function usageOf(db: Database, workspaceId: string): Promise<Usage> {
  const [usage] = await db.select().from(workspaceUsage).where(eq(workspaceUsage.workspaceId, workspaceId));
  return usage ?? UNUSED;
}

/** The number of a workspace's media, for a list's batch. Counting a million rows would take longer than everything else of a list. */
export const mediaTotalOf = (db: Database, workspaceId: string) =>
  db
    .select({ total: workspaceUsage.mediaCount })
    .from(workspaceUsage)
    .where(eq(workspaceUsage.workspaceId, workspaceId));

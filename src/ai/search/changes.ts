import { and, asc, eq, inArray, lte, notInArray } from "drizzle-orm";
import type { Database } from "../../platform/database.ts";
import { searchChanges } from "./tables.ts";

/** The asset of a change that asks for the whole index. */
export const EVERYTHING = "";

export interface Change {
  seq: number;
  assetId: string;
}

/** The oldest changes of a workspace that its index has not taken over. @param except media that it could not take over */
export const readChanges = (
  db: Database,
  workspaceId: string,
  except: Iterable<string>,
  limit: number,
): Promise<Change[]> =>
  db
    .select({ seq: searchChanges.seq, assetId: searchChanges.assetId })
    .from(searchChanges)
    .where(and(eq(searchChanges.workspaceId, workspaceId), notInArray(searchChanges.assetId, [...except])))
    .orderBy(asc(searchChanges.seq))
    .limit(limit);

/**
 * The index has taken over the changes until this one. D1 writes one commit after another, so no change with a lower number appears later.
 *
 * @param except media that it could not take over
 */
export const deleteChanges = (db: Database, workspaceId: string, lastSeq: number, except: Iterable<string> = []) =>
  db
    .delete(searchChanges)
    .where(
      and(
        eq(searchChanges.workspaceId, workspaceId),
        lte(searchChanges.seq, lastSeq),
        notInArray(searchChanges.assetId, [...except]),
      ),
    );

/** One row if a workspace has changes that its index has not taken over. */
export const pendingChange = (db: Database, workspaceId: string) =>
  db.select({ seq: searchChanges.seq }).from(searchChanges).where(eq(searchChanges.workspaceId, workspaceId)).limit(1);

/** The workspaces of the oldest changes. @param limit changes that are looked at */
export async function changedWorkspaces(db: Database, limit: number): Promise<string[]> {
  const oldest = db.select({ seq: searchChanges.seq }).from(searchChanges).orderBy(asc(searchChanges.seq)).limit(limit);
  const rows = await db
    .selectDistinct({ workspaceId: searchChanges.workspaceId })
    .from(searchChanges)
    .where(inArray(searchChanges.seq, oldest));
  return rows.map(({ workspaceId }) => workspaceId);
}

/** The triggers do so for all changes; this is for a media that could not be taken over. */
export const addChange = (db: Database, workspaceId: string, assetId: string) =>
  db.insert(searchChanges).values({ workspaceId, assetId });

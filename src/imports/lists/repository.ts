/** Queries and changes of `import_lists`. No other room writes the table. */
import { and, eq, lt, or, sql } from "drizzle-orm";
import { columnValues } from "../../platform/column-values.ts";
import { type Database, openDatabase } from "../../platform/database.ts";
import { importLists } from "./tables.ts";

export type ImportList = typeof importLists.$inferSelect;

/** Every query is limited to the workspace, so a caller cannot find another workspace's list by its id. */
export interface ListKey {
  workspaceId: string;
  listId: string;
}

export const LISTS_PER_WORKSPACE = 20;

const isList = ({ workspaceId, listId }: ListKey) =>
  and(eq(importLists.id, listId), eq(importLists.workspaceId, workspaceId));

/** Counts and inserts in one statement, so that concurrent requests cannot exceed the limit. @returns whether there was room */
export async function insertList(binding: D1Database, list: ImportList): Promise<boolean> {
  const { meta } = await openDatabase(binding).run(sql`
    INSERT INTO ${importLists} SELECT ${columnValues(importLists, list)}
    WHERE (SELECT count(*) FROM ${importLists} WHERE workspace_id = ${list.workspaceId}) < ${LISTS_PER_WORKSPACE}`);
  return meta.changes === 1;
}

/** @returns whether it was still being received: a sweep may have been faster */
export async function completeList(
  db: Database,
  key: ListKey,
  facts: Pick<ImportList, "rows" | "pages" | "errorsTotal" | "errors">,
): Promise<boolean> {
  const completed = await db
    .update(importLists)
    .set({ ...facts, state: "complete" })
    .where(and(isList(key), eq(importLists.state, "receiving")))
    .returning({ id: importLists.id });
  return completed.length === 1;
}

/** Only a complete one. */
export async function findList(db: Database, key: ListKey): Promise<ImportList | null> {
  const [found] = await db
    .select()
    .from(importLists)
    .where(and(isList(key), eq(importLists.state, "complete")));
  return found ?? null;
}

/** Keeps a list from the sweep of unused ones. */
export const touchList = (db: Database, key: ListKey, now: Date) =>
  db.update(importLists).set({ usedAt: now }).where(isList(key));

/** @returns whether there was one */
export async function deleteListRow(db: Database, key: ListKey): Promise<boolean> {
  const deleted = await db.delete(importLists).where(isList(key)).returning({ id: importLists.id });
  return deleted.length === 1;
}

/** Lists that nobody will use: those of broken requests, and old ones. @param limit most of them */
export const findStale = (
  db: Database,
  { receivingSince, usedBefore }: { receivingSince: Date; usedBefore: Date },
  limit: number,
): Promise<ListKey[]> =>
  db
    .select({ workspaceId: importLists.workspaceId, listId: importLists.id })
    .from(importLists)
    .where(
      or(
        and(eq(importLists.state, "receiving"), lt(importLists.createdAt, receivingSince)),
        lt(importLists.usedAt, usedBefore),
      ),
    )
    .limit(limit);

/** Queries and changes of `import_batches`. Its state is written by the batch's object. */
import { and, desc, eq, lt, or, type SQL, sql } from "drizzle-orm";
import type { Database, Statement } from "../../platform/database.ts";
import { columnValues } from "../../platform/column-values.ts";
import { importBatches } from "../store/tables.ts";

export type BatchRow = typeof importBatches.$inferSelect;

/** Batches of a workspace that have not ended. */
export const OPEN_BATCHES = 10;

const ARE_OPEN = sql`completed_at IS NULL`;

/** Has no effect when the workspace has as many open batches as it may: `isInserted` of the same commit says so. @param onlyIf a further condition */
export const insertBatch = (db: Database, row: BatchRow, onlyIf: SQL = sql`TRUE`): Statement =>
  db.insert(importBatches).select(
    sql`SELECT ${columnValues(importBatches, row)}
      WHERE ${onlyIf} AND (SELECT count(*) FROM ${importBatches} WHERE workspace_id = ${row.workspaceId} AND ${ARE_OPEN}) < ${OPEN_BATCHES}`,
  );

export const isInserted = (id: string) => sql`EXISTS (SELECT 1 FROM ${importBatches} WHERE id = ${id})`;

export async function findBatch(db: Database, workspaceId: string, id: string): Promise<BatchRow | null> {
  const rows = await db
    .select()
    .from(importBatches)
    .where(and(eq(importBatches.id, id), eq(importBatches.workspaceId, workspaceId)));
  return rows[0] ?? null;
}

/** One page, newest first, with one row more than asked for if there are more. @param after the place of the last row before */
export const listBatches = (
  db: Database,
  workspaceId: string,
  after: readonly [createdAtMs: number, id: string] | null,
  limit: number,
): Promise<BatchRow[]> =>
  db
    .select()
    .from(importBatches)
    .where(
      and(
        eq(importBatches.workspaceId, workspaceId),
        after === null
          ? undefined
          : or(
              lt(importBatches.createdAt, new Date(after[0])),
              and(eq(importBatches.createdAt, new Date(after[0])), lt(importBatches.id, after[1])),
            ),
      ),
    )
    .orderBy(desc(importBatches.createdAt), desc(importBatches.id))
    .limit(limit + 1);

/** Open batches that have shown nothing since then: their object may have lost its alarm, or was never called. */
export const findSilent = (db: Database, before: Date, limit: number): Promise<BatchRow[]> =>
  db
    .select()
    .from(importBatches)
    .where(and(ARE_OPEN, sql`state IN ('scanning', 'running', 'cancelled')`, lt(importBatches.updatedAt, before)))
    .orderBy(importBatches.updatedAt)
    .limit(limit);

/** Dry runs that have waited for their start since then. */
export const findUnstarted = (db: Database, before: Date, limit: number): Promise<BatchRow[]> =>
  db
    .select()
    .from(importBatches)
    .where(and(ARE_OPEN, eq(importBatches.state, "scanned"), lt(importBatches.updatedAt, before)))
    .limit(limit);

/** Those that ended before then. */
export const findEnded = (db: Database, before: Date, limit: number): Promise<Pick<BatchRow, "id">[]> =>
  db.select({ id: importBatches.id }).from(importBatches).where(lt(importBatches.completedAt, before)).limit(limit);

export const deleteBatch = (db: Database, id: string): Statement =>
  db.delete(importBatches).where(eq(importBatches.id, id));

/** A sweep that called the object notes it, so that the next one looks at others first. */
export const touch = (db: Database, id: string, now: Date) =>
  db.update(importBatches).set({ updatedAt: now }).where(eq(importBatches.id, id));

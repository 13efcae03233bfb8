/** Queries and changes of `import_credentials`. No other room writes the table. */
import { and, count, desc, eq, sql } from "drizzle-orm";
import { columnValues } from "../../platform/column-values.ts";
import type { Database, Statement } from "../../platform/database.ts";
import { importBatches } from "../store/tables.ts";
import { importCredentials } from "./tables.ts";

export type ImportCredential = typeof importCredentials.$inferSelect;

/** Every query is limited to the workspace, so a caller cannot find another workspace's credential by its id. */
export interface CredentialKey {
  workspaceId: string;
  credentialId: string;
}

export const CREDENTIALS_PER_WORKSPACE = 100;

const isCredential = ({ workspaceId, credentialId }: CredentialKey) =>
  and(eq(importCredentials.id, credentialId), eq(importCredentials.workspaceId, workspaceId));

/** Counts and inserts in one statement, so that concurrent requests cannot exceed the limit. Without effect when the limit is reached. */
export const insertCredential = (db: Database, row: ImportCredential): Statement =>
  db.run(sql`
    INSERT INTO ${importCredentials} SELECT ${columnValues(importCredentials, row)}
    WHERE (SELECT count(*) FROM ${importCredentials} WHERE workspace_id = ${row.workspaceId}) < ${CREDENTIALS_PER_WORKSPACE}`);

/** In the same commit: whether there was room for it. */
export const isInserted = (id: string) => sql`EXISTS (SELECT 1 FROM ${importCredentials} WHERE id = ${id})`;

export async function findCredential(db: Database, key: CredentialKey): Promise<ImportCredential | null> {
  const [found] = await db.select().from(importCredentials).where(isCredential(key));
  return found ?? null;
}

/** Newest first. @param page counts from 1 */
export async function listCredentials(
  db: Database,
  workspaceId: string,
  { page, limit }: { page: number; limit: number },
): Promise<{ rows: ImportCredential[]; total: number }> {
  const mine = eq(importCredentials.workspaceId, workspaceId);
  const [rows, totals] = await db.batch([
    db
      .select()
      .from(importCredentials)
      .where(mine)
      .orderBy(desc(importCredentials.createdAt), desc(importCredentials.id))
      .limit(limit)
      .offset((page - 1) * limit),
    db.select({ total: count() }).from(importCredentials).where(mine),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}

/** @returns null when it was deleted meanwhile */
export async function recordCheck(
  db: Database,
  key: CredentialKey,
  checked: Partial<Pick<ImportCredential, "account" | "accountName">> &
    Pick<ImportCredential, "checkedAt" | "lastCheck">,
): Promise<ImportCredential | null> {
  const [row] = await db.update(importCredentials).set(checked).where(isCredential(key)).returning();
  return row ?? null;
}

/** @returns null when there is no such credential */
export async function deleteCredential(db: Database, key: CredentialKey): Promise<{ id: string } | null> {
  const [deleted] = await db.delete(importCredentials).where(isCredential(key)).returning({ id: importCredentials.id });
  return deleted ?? null;
}

/** For the end of a batch: deletes its credential, unless it is kept, or another batch that has not ended uses it. Repeatable. */
export const deleteUnlessKept = (db: Database, { credentialId, batchId }: { credentialId: string; batchId: string }) =>
  db
    .delete(importCredentials)
    .where(
      and(
        eq(importCredentials.id, credentialId),
        eq(importCredentials.keep, false),
        sql`NOT EXISTS (SELECT 1 FROM ${importBatches} WHERE credential_id = ${credentialId} AND id <> ${batchId} AND completed_at IS NULL)`,
      ),
    );

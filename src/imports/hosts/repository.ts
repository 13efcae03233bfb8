/** Queries and changes of `import_hosts`. No other room writes the table. */
import { and, asc, eq, sql } from "drizzle-orm";
import { columnValues } from "../../platform/column-values.ts";
import { type Database, openDatabase } from "../../platform/database.ts";
import { importHosts } from "./tables.ts";

export type ImportHost = typeof importHosts.$inferSelect;

export const HOSTS_PER_WORKSPACE = 20;

/**
 * Maps a host, or changes the source of the workspace's own, in one statement.
 *
 * @returns the row of the host: null when the workspace has as many as it may have; of another workspace when that has it
 */
export async function putHost(binding: D1Database, row: ImportHost): Promise<ImportHost | null> {
  const db = openDatabase(binding);
  await db.run(sql`
    INSERT INTO ${importHosts} SELECT ${columnValues(importHosts, row)}
    WHERE (SELECT count(*) FROM ${importHosts} WHERE workspace_id = ${row.workspaceId} AND host <> ${row.host}) < ${HOSTS_PER_WORKSPACE}
    ON CONFLICT (host) DO UPDATE SET source = excluded.source, public_url = excluded.public_url
    WHERE ${importHosts.workspaceId} = excluded.workspace_id`);
  return await findHost(db, row.host);
}

/** Whoever has it. */
export async function findHost(db: Database, host: string): Promise<ImportHost | null> {
  const [found] = await db.select().from(importHosts).where(eq(importHosts.host, host));
  return found ?? null;
}

/** All of them: there are few. By name. */
export const listHosts = (db: Database, workspaceId: string): Promise<ImportHost[]> =>
  db.select().from(importHosts).where(eq(importHosts.workspaceId, workspaceId)).orderBy(asc(importHosts.host));

/** @returns null when the workspace has no such host */
export async function deleteHost(db: Database, workspaceId: string, host: string): Promise<{ host: string } | null> {
  const [deleted] = await db
    .delete(importHosts)
    .where(and(eq(importHosts.host, host), eq(importHosts.workspaceId, workspaceId)))
    .returning({ host: importHosts.host });
  return deleted ?? null;
}

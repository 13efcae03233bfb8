import { text } from "./statements.ts";
import { insertCredential, insertWorkspace, newCredential, newWorkspace, type NewCredential } from "./statements.ts";

/** D1 of an installation, on this machine or on Cloudflare. */
export interface Database {
  /** Runs the statements in order. @returns the rows of the last one */
  run<T>(statements: string[]): Promise<T[]>;
}

export interface Workspace {
  id: string;
  name: string;
  created_at: number;
}

export interface Credential {
  id: string;
  workspace_id: string;
  name: string;
  created_at: number;
  revoked_at: number | null;
}

export const listWorkspaces = (database: Database) =>
  database.run<Workspace>(["SELECT id, name, created_at FROM workspaces ORDER BY created_at, id"]);

export const listCredentials = (database: Database) =>
  database.run<Credential>([
    "SELECT id, workspace_id, name, created_at, revoked_at FROM credentials ORDER BY created_at, id",
  ]);

/** A workspace with its first credential. */
export async function createWorkspace(
  database: Database,
  name: string,
): Promise<{ workspaceId: string; credential: NewCredential }> {
  const [workspace, credential] = [newWorkspace(name), newCredential("First")];
  await database.run(insertWorkspace(workspace, credential));
  return { workspaceId: workspace.workspaceId, credential };
}

export async function createCredential(database: Database, workspaceId: string, name: string): Promise<NewCredential> {
  const credential = newCredential(name);
  await database.run([insertCredential(workspaceId, credential)]);
  return credential;
}

/** @returns false when the credential does not exist or is already revoked */
export async function revokeCredential(database: Database, id: string, now = new Date()): Promise<boolean> {
  const rows = await database.run([
    `UPDATE credentials SET revoked_at = ${now.getTime()} WHERE id = ${text(id)} AND revoked_at IS NULL`,
    `SELECT id FROM credentials WHERE id = ${text(id)} AND revoked_at = ${now.getTime()}`, // a statement may be repeated
  ]);
  return rows.length > 0;
}

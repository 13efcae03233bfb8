import { createHash, randomBytes, randomUUID } from "node:crypto";

/** `INSERT` statements of a workspace and its credentials. They contain the SHA-256 of the password, never the password. */

export interface NewWorkspace {
  organisationId: string;
  workspaceId: string;
  name: string;
}

export interface NewCredential {
  /** The credential's id, which is the user name of HTTP Basic. */
  username: string;
  password: string;
  /** Shown in lists only. */
  name: string;
}

export const newCredential = (name: string): NewCredential => ({
  username: randomUUID(),
  password: randomBytes(32).toString("base64url"),
  name,
});

export const newWorkspace = (name: string): NewWorkspace => ({
  organisationId: randomUUID(),
  workspaceId: randomUUID(),
  name,
});

/** A string literal of SQLite. */
export const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;

/** Rows that exist already are kept, so the statements can be repeated. */
export function insertWorkspace(workspace: NewWorkspace, credential: NewCredential, now = new Date()): string[] {
  const { organisationId, workspaceId, name } = workspace;
  const createdAt = now.getTime();
  return [
    `INSERT OR IGNORE INTO organisations (id, name, created_at) VALUES (${text(organisationId)}, ${text(name)}, ${createdAt})`,
    `INSERT OR IGNORE INTO workspaces (id, organisation_id, name, created_at) VALUES (${text(workspaceId)}, ${text(organisationId)}, ${text(name)}, ${createdAt})`,
    insertCredential(workspaceId, credential, now),
  ];
}

export function insertCredential(workspaceId: string, { username, password, name }: NewCredential, now = new Date()) {
  const secretHash = createHash("sha256").update(password).digest("hex");
  return `INSERT OR IGNORE INTO credentials (id, workspace_id, name, secret_hash, created_at) VALUES (${text(username)}, ${text(workspaceId)}, ${text(name)}, ${text(secretHash)}, ${now.getTime()})`;
}

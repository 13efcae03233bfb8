import type { Database } from "./database.ts";
import { text } from "./statements.ts";

export interface SearchState {
  id: string;
  name: string;
  /** Changes that the search index has not taken over. */
  changes: number;
  /** 1 = the whole index is to be made anew. */
  is_rebuilt: 0 | 1;
}

const SELECT = `SELECT workspaces.id, workspaces.name, count(seq) AS changes, coalesce(max(asset_id = ''), 0) AS is_rebuilt
  FROM workspaces LEFT JOIN search_changes ON search_changes.workspace_id = workspaces.id`;

export const listSearchStates = (database: Database) =>
  database.run<SearchState>([`${SELECT} GROUP BY workspaces.id ORDER BY workspaces.created_at, workspaces.id`]);

/** Has the search index of a workspace made anew: a change that names no media asks for it. @returns false when there is no such workspace */
export async function rebuildSearch(database: Database, workspaceId: string): Promise<boolean> {
  const isIt = `workspaces.id = ${text(workspaceId)}`;
  const rows = await database.run<SearchState>([
    `INSERT INTO search_changes (workspace_id, asset_id) SELECT id, '' FROM workspaces WHERE ${isIt}`,
    `${SELECT} WHERE ${isIt} GROUP BY workspaces.id`,
  ]);
  return rows.length > 0;
}

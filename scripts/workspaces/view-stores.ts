import type { Database } from "./database.ts";
import { text } from "./statements.ts";

interface ViewStore {
  id: string;
  name: string;
  view_store: "embedded" | "moving" | "distributed";
  view_store_progress: string | null;
}

export const listViewStores = (database: Database) =>
  database.run<ViewStore>(["SELECT id, name, view_store, view_store_progress FROM workspaces ORDER BY created_at, id"]);

/** @returns false when the workspace is in another state, or does not exist */
export async function setViewStore(
  database: Database,
  workspaceId: string,
  { from, to }: { from: ViewStore["view_store"]; to: ViewStore["view_store"] },
): Promise<boolean> {
  const rows = await database.run([
    `UPDATE workspaces SET view_store = ${text(to)}, view_store_progress = NULL WHERE id = ${text(workspaceId)} AND view_store = ${text(from)} RETURNING id`,
  ]);
  return rows.length > 0;
}

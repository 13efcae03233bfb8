import type { Database } from "./database.ts";
import { text } from "./statements.ts";

export interface ViewStore {
  id: string;
  name: string;
  /** `embedded` → `moving` → `distributed` → `returning` → `embedded`. */
  view_store: "embedded" | "moving" | "distributed" | "returning";
  view_store_progress: string | null;
}

export const listViewStores = (database: Database) =>
  database.run<ViewStore>(["SELECT id, name, view_store, view_store_progress FROM workspaces ORDER BY created_at, id"]);

export interface Change {
  /** The transition. A workspace in another state is not changed. */
  from: ViewStore["view_store"];
  to: ViewStore["view_store"];
}

/** @returns the workspace after the call, and whether it was changed; null = no such workspace */
export async function setViewStore(
  database: Database,
  workspaceId: string,
  { from, to }: Change,
): Promise<(ViewStore & { isChanged: boolean }) | null> {
  const isIt = `id = ${text(workspaceId)}`;
  const changed = await database.run([
    `UPDATE workspaces SET view_store = ${text(to)}, view_store_progress = NULL WHERE ${isIt} AND view_store = ${text(from)} RETURNING id`,
  ]);
  const [found] = await database.run<ViewStore>([
    `SELECT id, name, view_store, view_store_progress FROM workspaces WHERE ${isIt}`,
  ]);
  return found === undefined ? null : { ...found, isChanged: changed.length > 0 };
}

import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * Media whose searchable text has changed, until the search index of the workspace has taken the change over. Triggers on `assets` and `added_tracks`
 * add a row in the commit of the change itself, so none is lost (migration `search`). A number is never used twice.
 */
export const searchChanges = sqliteTable(
  "search_changes",
  {
    seq: integer().primaryKey({ autoIncrement: true }),
    workspaceId: text().notNull(),
    /** "" = the whole index is made anew. */
    assetId: text().notNull(),
  },
  (t) => [index("search_changes_of_workspace").on(t.workspaceId, t.seq)],
);

import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * What each workspace uses. Triggers on `assets`, `renditions`, `live_streams` and `uploads` count (migrations `workspace_usage`, `upload_limits`, `stored_bytes`),
 * in the transaction of the change itself, so no other code writes it.
 */
export const workspaceUsage = sqliteTable("workspace_usage", {
  workspaceId: text().primaryKey(),
  mediaCount: integer().notNull().default(0),
  streamCount: integer().notNull().default(0),
  /** Uploads that wait for their file. */
  uploadCount: integer().notNull().default(0),
  /** Bytes of renditions, sources and pictures until they are purged, and of the files of uploads that are coming in. */
  storedBytes: integer().notNull().default(0),
});

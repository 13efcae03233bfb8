import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** What a workspace has set for its AI results. */
export const aiSettings = sqliteTable("ai_settings", {
  workspaceId: text().primaryKey(),
  /** Names and terms, as they are spelled. */
  vocabulary: text({ mode: "json" }).$type<string[]>().notNull(),
  updatedAt: integer({ mode: "timestamp_ms" }).notNull(),
});

import { integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { USUAL_THRESHOLD } from "../moderation/index.ts";
import type { NewMedia } from "./new-media.ts";

/** What a workspace has set for its AI results. */
export const aiSettings = sqliteTable("ai_settings", {
  workspaceId: text().primaryKey(),
  /** Names and terms, as they are spelled. */
  vocabulary: text({ mode: "json" }).$type<string[]>().notNull(),
  /** What is made of every new media. */
  newMedia: text({ mode: "json" }).$type<Partial<NewMedia>>().notNull().default({}),
  /** A score above it flags a media. */
  moderationThreshold: real().notNull().default(USUAL_THRESHOLD),
  updatedAt: integer({ mode: "timestamp_ms" }).notNull(),
});

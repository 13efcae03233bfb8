import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * Which media's bytes a clip uses. An owner's bytes are kept as long as a row names it. The owner of a clip's clip is the media that the first
 * one was cut from, so no owner is a clip itself.
 */
export const sharedMedia = sqliteTable(
  "shared_media",
  {
    /** The clip. */
    mediaId: text().primaryKey(),
    workspaceId: text().notNull(),
    /** Null = the clip is gone, and counts for the rate of clips alone. */
    ownerId: text(),
    createdAt: integer({ mode: "timestamp_ms" }).notNull(),
  },
  (t) => [
    index("shared_media_of_owner").on(t.ownerId),
    index("shared_media_of_workspace").on(t.workspaceId, t.createdAt),
  ],
);

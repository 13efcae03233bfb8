import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** The media that a smart playlist contains: created, or changed, in a range of days (UTC, both included). */
export interface PlaylistCriteria {
  createdDate?: DayRange | undefined;
  updatedDate?: DayRange | undefined;
}
/** `YYYY-MM-DD`; open where absent. */
export interface DayRange {
  startDate?: string | undefined;
  endDate?: string | undefined;
}

/** Written by `repository.ts` of this folder. */
export const playlists = sqliteTable(
  "playlists",
  {
    id: text().primaryKey(), // UUID
    workspaceId: text().notNull(),
    name: text().notNull(),
    /** The owner's own id, unique in the workspace. */
    referenceId: text().notNull(),
    type: text({ enum: ["manual", "smart"] }).notNull(),
    description: text(),
    /** The most media that it lists. */
    mediaLimit: integer().notNull(),
    /** Smart playlists only. */
    playOrder: text({ enum: ["createdDate ASC", "createdDate DESC"] }),
    /** Smart playlists only. */
    criteria: text({ mode: "json" }).$type<PlaylistCriteria>(),
    createdAt: integer({ mode: "timestamp_ms" }).notNull(),
    updatedAt: integer({ mode: "timestamp_ms" }).notNull(),
  },
  (t) => [
    uniqueIndex("playlists_by_reference").on(t.workspaceId, t.referenceId),
    index("playlists_in_workspace").on(t.workspaceId, t.createdAt, t.id),
  ],
);

/** The media of manual playlists. Rows of deleted media stay, and are not listed. */
export const playlistMedia = sqliteTable(
  "playlist_media",
  {
    playlistId: text().notNull(),
    assetId: text().notNull(),
    position: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.playlistId, t.assetId] })],
);

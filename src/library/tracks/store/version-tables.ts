import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The texts that a subtitle track has had since the first one was replaced. Its captions so far are version 1. */
export const captionVersions = sqliteTable(
  "caption_versions",
  {
    trackId: text().notNull(),
    version: integer().notNull(),
    /** Of the objects (`captionsKey`); "" = those of a track that was never changed. */
    folder: text().notNull(),
    cueCount: integer().notNull(),
    /** Of the WebVTT. */
    bytes: integer().notNull(),
    /** The version whose text it has again; null = its text is new. */
    restoredFrom: integer(),
    createdAt: integer({ mode: "timestamp_ms" }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.trackId, t.version] })],
);

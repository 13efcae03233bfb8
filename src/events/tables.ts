import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** What happened. The id comes from the change itself, so that telling it twice inserts nothing. */
export const events = sqliteTable(
  "events",
  {
    id: text().primaryKey(), // UUID, the replay key
    workspaceId: text().notNull(),
    type: text().notNull(), // by the service's naming: "asset.ready"
    videoType: text().notNull(), // by the contract's naming: "video.media.ready"
    objectType: text({ enum: ["media", "live", "view", "migration_batch", "webhook"] }).notNull(),
    objectId: text().notNull(),
    /** RFC 3339, UTC, nine fraction digits; rises strictly for one object. */
    createdAt: text().notNull(),
    /** The envelope from behind its type on, made once: what is sent is `{"type":"…",` and this (see `eventBytes`). */
    body: text().notNull(),
    /** The data with the secrets that are redacted in `body`, sealed; null when there are none. */
    sealedData: text(),
    /** A sample that somebody asked for; not listed. */
    isTest: integer({ mode: "boolean" }).notNull().default(false),
  },
  (t) => [
    uniqueIndex("events_of_object").on(t.objectId, t.createdAt),
    index("events_in_workspace").on(t.workspaceId, t.createdAt, t.id),
    index("events_by_age").on(t.createdAt),
  ],
);

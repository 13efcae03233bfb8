import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** Events. The id is derived from the change or stored with it, so announcing a change twice inserts one row. */
export const events = sqliteTable(
  "events",
  {
    id: text().primaryKey(), // UUID, the replay key
    workspaceId: text().notNull(),
    type: text().notNull(), // by the service's naming: "asset.ready"
    videoType: text().notNull(), // by the contract's naming: "video.media.ready"
    objectType: text({ enum: ["media", "live", "view", "alert", "migration_batch", "webhook"] }).notNull(),
    objectId: text().notNull(),
    /** RFC 3339, UTC, nine fraction digits; strictly increasing for each object. */
    createdAt: text().notNull(),
    /** The envelope without its `type`, created once. A delivery sends `{"type":"…",` followed by this text (see `eventBytes`). */
    body: text().notNull(),
    /** The data before redaction, sealed; null = nothing was redacted. */
    sealedData: text(),
    /** A sample of a webhook test; not listed. */
    isTest: integer({ mode: "boolean" }).notNull().default(false),
  },
  (t) => [
    uniqueIndex("events_of_object").on(t.objectId, t.createdAt),
    index("events_in_workspace").on(t.workspaceId, t.createdAt, t.id),
    index("events_by_age").on(t.createdAt),
  ],
);

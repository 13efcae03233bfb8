import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** What happened. The id comes from the move itself, so that telling it twice inserts nothing. */
export const events = sqliteTable(
  "events",
  {
    id: text().primaryKey(), // UUID, the replay key
    workspaceId: text().notNull(),
    type: text().notNull(), // the specification's kind: "asset.ready"
    objectType: text({ enum: ["media", "live"] }).notNull(),
    objectId: text().notNull(),
    createdAt: text().notNull(), // RFC 3339, UTC, nine fraction digits
  },
  (t) => [
    index("events_of_object").on(t.objectId, t.createdAt),
    index("events_in_workspace").on(t.workspaceId, t.createdAt),
  ],
);

import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { StoredSettings } from "./settings.ts";

/** Direct uploads. The upload machine's outbox writes `status`; the bytes and the position are the machine's own. */
export const uploads = sqliteTable(
  "uploads",
  {
    id: text().primaryKey(), // also the id of the media that the upload becomes
    workspaceId: text().notNull(),
    /** Reserved for the media. */
    playbackId: text().notNull(),
    corsOrigin: text().notNull(),
    settings: text({ mode: "json" }).$type<StoredSettings>().notNull(),
    status: text({ enum: ["waiting", "complete", "cancelled", "expired"] }).notNull(),
    /** Bytes of its file, as far as they are known. While it waits, a trigger counts them as the workspace's storage. */
    fileBytes: integer().notNull().default(0),
    publicUrl: text().notNull(), // the origin of the upload URL
    createdAt: integer({ mode: "timestamp_ms" }).notNull(),
    updatedAt: integer({ mode: "timestamp_ms" }).notNull(),
  },
  (t) => [
    // A literal condition, because SQLite does not match a bound parameter with it.
    index("uploads_waiting")
      .on(t.workspaceId, t.createdAt, t.id)
      .where(sql`status = 'waiting'`),
    index("uploads_over")
      .on(t.createdAt)
      .where(sql`status <> 'waiting'`),
    index("uploads_unfinished")
      .on(t.createdAt)
      .where(sql`status = 'waiting'`),
  ],
);

export const isWaiting = sql`${uploads.status} = 'waiting'`;

import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The playback IDs of assets and streams, with their access policies. The domain that owns the target writes its rows. */
export const playbackIds = sqliteTable(
  "playback_ids",
  {
    id: text().primaryKey(), // UUID
    /** The kind of target: an asset, including recordings and clips, or a live stream. */
    kind: text({ enum: ["asset", "stream"] })
      .notNull()
      .default("asset"),
    /** Id of the asset or stream. */
    targetId: text().notNull(),
    workspaceId: text().notNull(),
    /** `drm` is for assets only. */
    accessPolicy: text({ enum: ["public", "private", "drm"] }).notNull(),
    createdAt: integer({ mode: "timestamp_ms" }).notNull(),
  },
  (t) => [index("playback_ids_of_target").on(t.targetId)],
);

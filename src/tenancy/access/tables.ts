import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Under which public names something plays, and who may play it there. Whoever owns the target writes its rows. */
export const playbackIds = sqliteTable(
  "playback_ids",
  {
    id: text().primaryKey(), // UUID
    /** What the target is: on-demand media (recordings and clips too), or a live stream. */
    kind: text({ enum: ["asset", "stream"] })
      .notNull()
      .default("asset"),
    /** The asset or the stream. */
    targetId: text().notNull(),
    workspaceId: text().notNull(),
    /** `drm` for assets only. */
    accessPolicy: text({ enum: ["public", "private", "drm"] }).notNull(),
    createdAt: integer({ mode: "timestamp_ms" }).notNull(),
  },
  (t) => [index("playback_ids_of_target").on(t.targetId)],
);

import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { KeySystem } from "../../media/cenc/content-key.ts";
import type { AccessRestrictions } from "./restrictions.ts";

/** Assets of which no playback ID may play until somebody lifts the hold. Written by `holds.ts` of this folder, and by a trigger for new clips. */
export const playbackHolds = sqliteTable(
  "playback_holds",
  {
    targetId: text().notNull(),
    /** The asset whose moderation is the cause: the target, or the media that the target was cut from. */
    causeId: text().notNull(),
    createdAt: integer({ mode: "timestamp_ms" }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.targetId, t.causeId] }), index("playback_holds_of_cause").on(t.causeId)],
);

/** The playback IDs of assets and streams, with their access rules. Written by `repository.ts` of this folder. */
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
    /** `drm`: what it plays is encrypted, and needs a token as if it were private. */
    accessPolicy: text({ enum: ["public", "private", "drm"] }).notNull(),
    /** The DRM configuration, which never changes; null unless the policy is `drm`. */
    keySystems: text({ mode: "json" }).$type<KeySystem[]>(),
    /** Null: every domain and user agent may play. */
    accessRestrictions: text({ mode: "json" }).$type<AccessRestrictions>(),
    /** The largest rung that it offers; null = all. */
    resolution: text({ enum: ["480p", "720p", "1080p", "1440p", "2160p"] }),
    createdAt: integer({ mode: "timestamp_ms" }).notNull(),
  },
  (t) => [index("playback_ids_of_target").on(t.targetId)],
);

import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { KeySystem } from "../../media/cenc/content-key.ts";

/** The DRM configurations of workspaces. A configuration never changes. Written by `configurations.ts` of this folder. */
export const drmConfigurations = sqliteTable(
  "drm_configurations",
  {
    id: text().primaryKey(), // UUID
    workspaceId: text().notNull(),
    keySystems: text({ mode: "json" }).$type<KeySystem[]>().notNull(),
    createdAt: integer({ mode: "timestamp_ms" }).notNull(),
  },
  (t) => [index("drm_configurations_in_workspace").on(t.workspaceId, t.createdAt, t.id)],
);

/** What a key service says beside a key, in Base64. */
export interface ServiceSignals {
  /** A whole `pssh` box. */
  widevinePssh?: string;
  fairplayUri?: string;
}

/** The keys of encrypted media. Written by `content-keys.ts` of this folder. */
export const contentKeys = sqliteTable(
  "content_keys",
  {
    id: text().primaryKey(), // the key id: a UUID
    /** An asset or a live session, whose recording has the same id. */
    targetId: text().notNull(),
    /** `platform`: made here, for ClearKey; `service`: of the key service, for the other key systems. */
    source: text({ enum: ["platform", "service"] }).notNull(),
    /** 16 bytes in Base64, sealed with WEBHOOK_KEYS for the id of the key. */
    sealedKey: text().notNull(),
    /** The initialization vector, 16 bytes in Base64. */
    iv: text().notNull(),
    signals: text({ mode: "json" }).$type<ServiceSignals>().notNull(),
    createdAt: integer({ mode: "timestamp_ms" }).notNull(),
  },
  (t) => [uniqueIndex("content_keys_of_target").on(t.targetId, t.source)],
);

import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { SOURCE_KINDS } from "../sources/source.ts";

/**
 * Which videos of a source a workspace has. A row is written in the commit that creates the media, so that no crash, resumed or second
 * batch makes a video twice. A trigger deletes it with its media (migration `imports`), after which the video may come again.
 */
export const importedVideos = sqliteTable(
  "imported_videos",
  {
    workspaceId: text().notNull(),
    source: text({ enum: SOURCE_KINDS }).notNull(),
    account: text().notNull(),
    sourceId: text().notNull(),
    mediaId: text().notNull(),
    /** The new one. */
    playbackId: text().notNull(),
    batchId: text().notNull(),
    createdAt: integer({ mode: "timestamp_ms" }).notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.source, t.account, t.sourceId] }),
    uniqueIndex("imported_videos_of_media").on(t.mediaId),
    index("imported_videos_of_batch").on(t.batchId),
  ],
);

/** Which new playback ID an old one leads to. The first claim of a workspace stays. */
export const migratedPlaybackIds = sqliteTable(
  "migrated_playback_ids",
  {
    workspaceId: text().notNull(),
    source: text({ enum: SOURCE_KINDS }).notNull(),
    oldPlaybackId: text().notNull(),
    playbackId: text().notNull(),
    mediaId: text().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.source, t.oldPlaybackId] }),
    index("migrated_playback_ids_of_media").on(t.mediaId),
  ],
);

/** What a batch was asked for. */
export interface BatchRequest {
  /** Of the source, without its type. */
  options: Record<string, unknown>;
  selection: Record<string, unknown>;
  settings: Record<string, unknown>;
  dryRun: boolean;
  publicUrl: string;
}

/** Batches of migrations. The batch's object writes state, counts and times (`ImportBatch`). */
export const importBatches = sqliteTable(
  "import_batches",
  {
    id: text().primaryKey(),
    workspaceId: text().notNull(),
    source: text({ enum: SOURCE_KINDS }).notNull(),
    /** What it was asked for, without credentials. */
    request: text({ mode: "json" }).$type<BatchRequest>().notNull(),
    state: text({ enum: ["scanning", "scanned", "running", "paused", "done", "cancelled"] }).notNull(),
    counts: text({ mode: "json" }).$type<Record<string, number>>().notNull(),
    /** Why it is paused, or what the scan ended with: {code, message}. */
    problem: text({ mode: "json" }).$type<{ code: string; message: string }>(),
    credentialId: text(),
    statusWebhookId: text(),
    /** Null until its object has started. */
    startedAt: integer({ mode: "timestamp_ms" }),
    createdAt: integer({ mode: "timestamp_ms" }).notNull(),
    updatedAt: integer({ mode: "timestamp_ms" }).notNull(),
    completedAt: integer({ mode: "timestamp_ms" }),
    /** Number of the last write of its object: an older one changes nothing. */
    revision: integer().notNull().default(0),
  },
  (t) => [
    index("import_batches_in_workspace").on(t.workspaceId, t.createdAt, t.id),
    index("import_batches_ended").on(t.completedAt),
    // Those whose items have not all ended. Column names stay unqualified, as SQLite requires.
    index("import_batches_open")
      .on(t.state, t.updatedAt)
      .where(sql`completed_at IS NULL`),
  ],
);

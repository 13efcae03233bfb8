import { index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const AI_USES = ["captions", "summary", "chapters", "namedEntities", "translation", "moderation"] as const;

/** What AI has been used for, one row for each workspace, day, kind of result and engine. Deleted after 400 days (`src/retention.ts`). */
export const aiUsage = sqliteTable(
  "ai_usage",
  {
    workspaceId: text().notNull(),
    day: text().notNull(), // YYYY-MM-DD, UTC
    kind: text({ enum: AI_USES }).notNull(),
    engine: text().notNull(),
    /** Calls of a provider, or jobs of an encoder. */
    calls: integer().notNull(),
    /** Seconds of sound of captions; tokens of texts and pictures. */
    units: real().notNull(),
    costMicroUsd: integer().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.workspaceId, t.day, t.kind, t.engine] }),
    index("ai_usage_by_age").on(t.day), // for the retention
  ],
);

import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { ModerationOrder, ModerationResult } from "../../../ai/moderation/index.ts";
import { TEXT_KINDS, type TextOrder, type TextResults } from "../../../ai/text/index.ts";

const KINDS = [...TEXT_KINDS, "moderation"] as const;

export interface InsightResults extends TextResults {
  moderation: ModerationResult;
}
export type InsightResult = InsightResults[keyof InsightResults];

/** What was asked for, of each kind. `takesOver`: chapters of a clip are those of its media, if that has any. */
export type InsightOrder = TextOrder & Partial<ModerationOrder> & { takesOver?: true };

/** What has made a result, and at what cost. */
export interface InsightFacts {
  /** `built-in`, `openai-compatible`, `workers-ai`, or `source` for a clip whose media had it. */
  engine: string;
  /** "" = none. */
  model: string;
  /** The subtitle track that was read; "" = none was. */
  trackId: string;
  costUsd: number;
  tookMs: number;
}

/** What AI finds out about a media, one row for each kind. The machine of the asset makes it; its outbox ends it. */
export const insights = sqliteTable(
  "insights",
  {
    assetId: text().notNull(),
    kind: text({ enum: KINDS }).notNull(),
    workspaceId: text().notNull(),
    /** Of the request. What was made for an earlier one has no effect. */
    requestId: text().notNull(),
    status: text({ enum: ["preparing", "available", "failed"] }).notNull(),
    order: text({ mode: "json" }).$type<InsightOrder>().notNull(),
    percent: integer().notNull().default(0),
    result: text({ mode: "json" }).$type<InsightResult>(),
    madeBy: text({ mode: "json" }).$type<InsightFacts>(),
    errorCode: text(),
    errorMessage: text(),
    errorFault: text({ enum: ["source", "service"] }),
    createdAt: integer({ mode: "timestamp_ms" }).notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.assetId, t.kind] }),
    // For the sweep. Column names stay unqualified, as SQLite requires.
    index("insights_preparing")
      .on(t.createdAt)
      .where(sql`status = 'preparing'`),
  ],
);

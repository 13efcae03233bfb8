import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** What is wrong with a row of a list. Rows count from 1. */
export interface RowError {
  row: number;
  message: string;
}

/** Lists that a workspace has sent. Their rows are in R2. Written by `repository.ts` of this folder. */
export const importLists = sqliteTable(
  "import_lists",
  {
    id: text().primaryKey(), // UUID
    workspaceId: text().notNull(),
    /** `receiving` until all of it is stored. One that stays so is swept. */
    state: text({ enum: ["receiving", "complete"] }).notNull(),
    format: text({ enum: ["csv", "json", "ndjson"] }).notNull(),
    /** Those that can be used. */
    rows: integer().notNull(),
    pages: integer().notNull(),
    errorsTotal: integer().notNull(),
    errors: text({ mode: "json" }).$type<RowError[]>().notNull(),
    createdAt: integer({ mode: "timestamp_ms" }).notNull(),
    /** When a batch last read it; at first, when it was made. */
    usedAt: integer({ mode: "timestamp_ms" }).notNull(),
  },
  (t) => [
    index("import_lists_in_workspace").on(t.workspaceId, t.createdAt, t.id),
    index("import_lists_by_use").on(t.usedAt),
    index("import_lists_receiving")
      .on(t.createdAt)
      .where(sql`state = 'receiving'`),
  ],
);

import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { ExportQuery } from "./export-query.ts";

/** Exports of views that can be downloaded. Written by `repository.ts` of this folder. */
export const viewExports = sqliteTable(
  "view_exports",
  {
    id: text().primaryKey(), // UUID
    workspaceId: text().notNull(),
    query: text({ mode: "json" }).$type<ExportQuery>().notNull(),
    createdAt: integer({ mode: "timestamp_ms" }).notNull(),
    expiresAt: integer({ mode: "timestamp_ms" }).notNull(),
  },
  (t) => [
    index("view_exports_in_workspace").on(t.workspaceId, t.expiresAt),
    index("view_exports_by_expiry").on(t.expiresAt),
  ],
);

import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Every request to the API that came with good credentials; kept for 30 days. Never a body. */
export const requestLogs = sqliteTable(
  "request_logs",
  {
    id: text().primaryKey(), // UUID
    workspaceId: text().notNull(),
    at: integer({ mode: "timestamp_ms" }).notNull(),
    requestId: text().notNull(),
    credentialId: text().notNull(),
    method: text().notNull(),
    route: text().notNull(), // the pattern: "/v1/on-demand/{mediaId}"
    status: integer().notNull(),
    durationMs: integer().notNull(),
    /** What the request was about: the ids in its path, and of what it created. The first one is the main one. */
    resourceIds: text({ mode: "json" }).$type<string[]>().notNull(),
    resourceId: text(), // the first of them
  },
  (t) => [
    index("request_logs_in_workspace").on(t.workspaceId, t.at, t.id),
    index("request_logs_of_resource").on(t.resourceId, t.at),
    index("request_logs_by_age").on(t.at),
  ],
);

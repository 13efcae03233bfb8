import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Requests to the API with valid credentials, without bodies. Kept for 30 days. */
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
    /** The ids in the path, then those of what the request created. */
    resourceIds: text({ mode: "json" }).$type<string[]>().notNull(),
    resourceId: text(), // the first of `resourceIds`
  },
  (t) => [
    index("request_logs_in_workspace").on(t.workspaceId, t.at, t.id),
    index("request_logs_of_resource").on(t.resourceId, t.at),
    index("request_logs_by_age").on(t.at),
  ],
);

import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** First responses to requests with an `Idempotency-Key`, kept for 24 hours. */
export const idempotencyKeys = sqliteTable(
  "idempotency_keys",
  {
    workspaceId: text().notNull(),
    key: text().notNull(),
    requestHash: text().notNull(), // SHA-256 of method, path and body
    resourceId: text().notNull(), // what the first request created
    status: integer().notNull(),
    body: text().notNull(),
    createdAt: integer({ mode: "timestamp_ms" }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.key] }), index("idempotency_keys_by_age").on(t.createdAt)],
);

import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const organisations = sqliteTable("organisations", {
  id: text().primaryKey(),
  name: text().notNull(),
  createdAt: integer({ mode: "timestamp_ms" }).notNull(),
});

export const workspaces = sqliteTable("workspaces", {
  id: text().primaryKey(),
  organisationId: text().notNull(),
  name: text().notNull(),
  createdAt: integer({ mode: "timestamp_ms" }).notNull(),
  /**
   * Which engine has the views (docs/architecture/video-data.md). `moving`: the embedded one, while final views are copied. `returning`: the
   * distributed one, while they are copied back.
   */
  viewStore: text({ enum: ["embedded", "moving", "distributed", "returning"] })
    .notNull()
    .default("embedded"),
  /** How far the copying is, in words. */
  viewStoreProgress: text(),
});

/** API credentials. The id is the Basic user name. Only the SHA-256 of the secret is stored; the secret has 256 random bits. */
export const credentials = sqliteTable(
  "credentials",
  {
    id: text().primaryKey(),
    workspaceId: text().notNull(),
    name: text().notNull(),
    secretHash: text().notNull(), // hex
    createdAt: integer({ mode: "timestamp_ms" }).notNull(),
    revokedAt: integer({ mode: "timestamp_ms" }),
  },
  (t) => [index("credentials_of_workspace").on(t.workspaceId)],
);

import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { SOURCE_KINDS } from "../sources/source.ts";

/** Hosts on which old addresses of a source lead to what a workspace migrated. Written by `repository.ts` of this folder. */
export const importHosts = sqliteTable(
  "import_hosts",
  {
    /** In lower case, as URLs have it, without a port. */
    host: text().primaryKey(),
    workspaceId: text().notNull(),
    source: text({ enum: SOURCE_KINDS }).notNull(),
    /** Of this deployment when the host was mapped, for one without PUBLIC_URL: where its addresses lead to. */
    publicUrl: text().notNull(),
    createdAt: integer({ mode: "timestamp_ms" }).notNull(),
  },
  (t) => [index("import_hosts_in_workspace").on(t.workspaceId, t.createdAt)],
);

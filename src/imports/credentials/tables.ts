import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { type ItemErrorCode, type MissingPermission, SOURCE_KINDS } from "../sources/source.ts";

/** What a check of credentials found. */
export interface LastCheck {
  /** Everything that a migration needs is there. */
  ok: boolean;
  missing: MissingPermission[];
  /** Why the source could not be asked, or refused; null = it answered. */
  problem: { code: ItemErrorCode; message: string } | null;
}

/** Credentials of sources. Written by `repository.ts` of this folder. */
export const importCredentials = sqliteTable(
  "import_credentials",
  {
    id: text().primaryKey(), // UUID
    workspaceId: text().notNull(),
    source: text({ enum: SOURCE_KINDS }).notNull(),
    name: text(),
    /** What the last check that the source answered said: `CredentialCheck`. Null before it. */
    account: text(),
    accountName: text(),
    /** The credentials as JSON, sealed (src/platform/crypto/sealing.ts) for the id of this row. */
    sealed: text().notNull(),
    /** Names of the fields that are set. */
    fields: text({ mode: "json" }).$type<string[]>().notNull(),
    /** The last characters of the field that is an id and no secret, for its owner to know it by; null = there is none. */
    ending: text(),
    /** Otherwise it is deleted when the batch that uses it ends. */
    keep: integer({ mode: "boolean" }).notNull(),
    createdAt: integer({ mode: "timestamp_ms" }).notNull(),
    checkedAt: integer({ mode: "timestamp_ms" }),
    lastCheck: text({ mode: "json" }).$type<LastCheck>(),
  },
  (t) => [
    index("import_credentials_in_workspace").on(t.workspaceId, t.createdAt, t.id),
    index("import_credentials_by_key").on(t.sealed), // which begins with the key's id
  ],
);

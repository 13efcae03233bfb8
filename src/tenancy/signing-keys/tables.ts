import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * The keys that sign playback tokens. The private half is stored only of a workspace's own key for tokens made by the API. Written by `repository.ts`
 * of this folder.
 */
export const signingKeys = sqliteTable(
  "signing_keys",
  {
    id: text().primaryKey(), // UUID; `kid` of the tokens
    workspaceId: text().notNull(),
    /** SPKI as PEM. */
    publicKey: text().notNull(),
    /** PKCS#8 as PEM, sealed with WEBHOOK_KEYS for the id of the key; null = only its owner has it. */
    sealedPrivateKey: text(),
    createdAt: integer({ mode: "timestamp_ms" }).notNull(),
  },
  (t) => [index("signing_keys_in_workspace").on(t.workspaceId, t.createdAt, t.id)],
);
